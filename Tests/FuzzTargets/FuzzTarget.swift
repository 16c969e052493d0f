/// One reader of outside input, and what must hold of it whatever comes.
///
/// `tools/fuzz` drives the targets with libFuzzer; `FuzzTests` replays seeds, damaged seeds and past findings.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// What became of an input.
    package enum Outcome: Hashable, Sendable {
        /// It was well formed, at least in part.
        case accepted
        /// It was refused with an error.
        case rejected
    }

    /// What makes an input a seed.
    package enum SeedForm: Hashable, Sendable {
        /// The bytes that a string of hexadecimal digits spells.
        case hex
        /// The string itself, as UTF-8.
        case text
    }

    /// What `tools/fuzz` calls it.
    package let name: String
    /// What it reads, for `tools/fuzz --list`.
    package let summary: String
    /// Bytes of the longest input worth trying.
    package let maximumLength: Int
    /// Files under `Tests` whose strings are seeds.
    package let vectors: [String]
    /// How those strings are meant.
    package let form: SeedForm
    /// Seeds that our own encoders make.
    package let made: @Sendable () throws -> [[UInt8]]
    /// Reads the input.
    ///
    /// - Throws: ``FuzzFailure`` when something does not hold.
    package let check: @Sendable ([UInt8]) async throws -> Outcome

    init(
        _ name: String, _ summary: String, maximumLength: Int = 4_096, vectors: [String] = [],
        form: SeedForm = .hex, made: @escaping @Sendable () throws -> [[UInt8]] = { [] },
        check: @escaping @Sendable ([UInt8]) async throws -> Outcome
    ) {
        self.name = name
        self.summary = summary
        self.maximumLength = maximumLength
        self.vectors = vectors
        self.form = form
        self.made = made
        self.check = check
    }

    /// The name.
    package var description: String { name }

    /// Every target, by kind of input.
    package static let all: [FuzzTarget] = wire + credentials + machines + control + texts + recordings

    /// The target of a name.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// What did not hold of an input.
package struct FuzzFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// Fails unless the condition holds.
func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFailure) {
    if !condition { throw FuzzFailure(what()) }
}

/// Reads with `decode`; what was read must come back from its own encoding.
///
/// A value that holds a NaN is not equal to itself and only has to be readable again.
func roundTrip<Value: Equatable, Failure: Error>(
    _ what: String, _ input: [UInt8], decode: ([UInt8]) throws(Failure) -> Value,
    encode: (Value) throws -> [UInt8]
) throws -> FuzzTarget.Outcome {
    let value: Value
    do throws(Failure) { value = try decode(input) } catch { return .rejected }
    let bytes = try encode(value)
    let again: Value
    do throws(Failure) { again = try decode(bytes) } catch {
        throw FuzzFailure("\(what): what was read is written as \(bytes), which is refused: \(error)")
    }
    try hold(again == value || value != value, "\(what): \(value) comes back as \(again)")
    return .accepted
}

extension [FuzzTarget.Outcome] {
    /// Accepted when one is.
    var any: FuzzTarget.Outcome { contains(.accepted) ? .accepted : .rejected }
}
