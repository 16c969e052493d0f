/// A property of a class whose changes can be watched, by `$name`.
@propertyWrapper
public struct Published<Value>: PublishedProperty {
    /// Sends the property's value, then each new one just before the property takes it.
    public struct Publisher: Combine.Publisher {
        /// What the property is.
        public typealias Output = Value
        /// It can't fail.
        public typealias Failure = Never

        let box: PublishedBox<Value>

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
            box.receive(subscriber)
        }
    }

    private var box: PublishedBox<Value>

    /// A property with its first value.
    public init(initialValue: Value) { box = PublishedBox(initialValue) }
    /// A property with its first value.
    public init(wrappedValue: Value) { box = PublishedBox(wrappedValue) }

    /// Sends the value, then each new one.
    public var projectedValue: Publisher {
        get { Publisher(box: box) }
        set { box = newValue.box }
    }

    /// The value; only an object can have such a property.
    @available(*, unavailable, message: "@Published is for properties of classes")
    public var wrappedValue: Value {
        get { box.value }
        set { box.value = newValue }
    }

    /// The value of the property of an object.
    public static subscript<EnclosingSelf: AnyObject>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].box.value }
        set { object[keyPath: storageKeyPath].box.value = newValue }
    }

    var anyBox: any PublishedBoxing { box }
}

extension Publisher where Failure == Never {
    /// Puts each value into a `@Published` property, as long as that lives.
    public func assign(to published: inout Published<Output>.Publisher) {
        let box = published.box
        box.keep(sink { [weak box] in box?.value = $0 })
    }
}
