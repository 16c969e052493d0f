import Foundation
import NetIO

/// An object that says when it is about to change.
///
/// Its `@Published` properties say it before they take a new value, as on Apple's systems.
public protocol ObservableObject: AnyObject {
    /// What says it.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Says that the object is about to change.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Says that the object is about to change; the same publisher as long as the object lives.
    public var objectWillChange: ObservableObjectPublisher { ObjectPublishers.publisher(of: self) }
}

/// The publishers of objects that have not written their own.
///
/// Without a runtime that lets any object carry something more, the publisher lives in the boxes of the object's
/// `@Published` properties, which are found by reflection; for an object without any it lives here, beside a weak
/// reference to the object.
private enum ObjectPublishers {
    private struct Entry {
        weak var object: AnyObject?
        let publisher: ObservableObjectPublisher
    }

    // Sendable: the objects are only compared, and only behind the lock.
    private struct Table: @unchecked Sendable {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The number of entries at which those of objects that are gone are looked for.
        var limit = 64
    }

    private static let table = Locked(Table())

    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        let boxes = boxes(of: object)
        return table.withLock { table in
            if !boxes.isEmpty {
                let publisher = boxes.lazy.compactMap(\.objectWillChange).first ?? ObservableObjectPublisher()
                for box in boxes where box.objectWillChange !== publisher { box.objectWillChange = publisher }
                return publisher
            }
            let identifier = ObjectIdentifier(object)
            if let entry = table.entries[identifier], entry.object === object { return entry.publisher }
            if table.entries.count >= table.limit {
                table.entries = table.entries.filter { $0.value.object != nil }
                table.limit = max(64, 2 * table.entries.count)
            }
            let publisher = ObservableObjectPublisher()
            table.entries[identifier] = Entry(object: object, publisher: publisher)
            return publisher
        }
    }

    private static func boxes(of object: AnyObject) -> [any PublishedBoxing] {
        var boxes: [any PublishedBoxing] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let level = mirror {
            boxes += level.children.compactMap { ($0.value as? any PublishedProperty)?.anyBox }
            mirror = level.superclassMirror
        }
        return boxes
    }
}
