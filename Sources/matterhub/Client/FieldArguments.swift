import HubControl
import MatterModel

/// A command's fields on the command line: `level=128 transition-time=20`, or one JSON object of members by tag.
enum FieldArguments {
    /// Fields that are 0 when nobody says otherwise, where they must be there.
    private static let usuallyZero: Set<String> = ["optionsMask", "optionsOverride", "transitionTime", "direction"]

    /// - Parameter command: what is known of the command; `nil` for one that is not known here.
    /// - Returns: `nil` for no fields.
    /// - Throws: ``UsageError`` that names the field and lists what the command has.
    static func parse(_ words: [String], of command: CommandDefinition?) throws(UsageError) -> AttributeValue? {
        if words.count == 1, words[0].hasPrefix("{") {
            let value = try ValueArgument.parse(words[0])
            guard case .structure = value else {
                throw UsageError("fields are an object of members by tag, for example {\"0\": 128}")
            }
            return value
        }
        let known = command?.fields ?? []
        var members: [UInt8: AttributeValue] = [:]
        for word in words {
            let (name, text) = try split(word)
            let field = known.first { ElementName.words($0.name) == name || String($0.tag) == name }
            guard let tag = field?.tag ?? UInt8(name) else { throw unknown(name, command, known) }
            guard members[tag] == nil else { throw UsageError("“\(name)” is given twice") }
            members[tag] = ValueArgument.fit(try ValueArgument.parse(text), text, to: field?.type)
        }
        for field in known where members[field.tag] == nil && !field.isOptional {
            if field.isNullable {
                members[field.tag] = .null
            } else if usuallyZero.contains(field.name) {
                members[field.tag] = .unsigned(0)
            } else {
                throw UsageError(
                    "\(ElementName.words(field.name)) is missing: \(ElementName.words(field.name))=…, \(field.type.words)"
                )
            }
        }
        return members.isEmpty ? nil : .structure(members)
    }

    private static func split(_ word: String) throws(UsageError) -> (String, String) {
        guard let equals = word.firstIndex(of: "=") else {
            throw UsageError("“\(word)” is no field: write NAME=VALUE, or all fields as one JSON object")
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private static func unknown(
        _ name: String, _ command: CommandDefinition?, _ known: [FieldDefinition]
    ) -> UsageError {
        guard let command, !known.isEmpty else {
            return UsageError("“\(name)” is no field that is known here; write the field's tag, a number")
        }
        let names = known.map { ElementName.words($0.name) }.joined(separator: ", ")
        return UsageError("“\(name)” is no field of \(ElementName.words(command.name)); its fields are \(names)")
    }
}
