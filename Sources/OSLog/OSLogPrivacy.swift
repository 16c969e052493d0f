/// Who may see a value of a message.
public struct OSLogPrivacy: Hashable, Sendable {
    /// What stands for a hidden value.
    public enum Mask: Hashable, Sendable {
        /// A number that is the same for equal values within one run of the program.
        case hash
        /// Nothing that tells values apart.
        case none
    }

    enum Wish: Hashable, Sendable { case `public`, `private`, sensitive, auto }

    var wish: Wish
    var mask: Mask

    private init(_ wish: Wish, _ mask: Mask = .none) {
        self.wish = wish
        self.mask = mask
    }

    /// Everybody.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(.public) }
    /// Nobody, unless the user asks for private values.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(.private) }
    /// Nobody, even when the user asks for private values.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(.sensitive) }
    /// Numbers and truth values everybody, everything else nobody.
    public static var auto: OSLogPrivacy { OSLogPrivacy(.auto) }
    /// As ``private``, with what stands for the value.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.private, mask) }
    /// As ``sensitive``, with what stands for the value.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.sensitive, mask) }
    /// As ``auto``, with what stands for the value.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(.auto, mask) }

    /// The text to write for a value.
    ///
    /// - Parameter isHarmless: whether the value is a number or truth value, which `auto` shows.
    func shown(_ text: String, isHarmless: Bool, showsPrivate: Bool) -> String {
        let isVisible =
            switch wish {
            case .public: true
            case .auto: isHarmless || showsPrivate
            case .private: showsPrivate
            case .sensitive: false
            }
        guard !isVisible else { return text }
        switch mask {
        case .none: return "<private>"
        case .hash: return "<mask.hash: '\(String(UInt(bitPattern: text.hashValue), radix: 16))'>"
        }
    }
}
