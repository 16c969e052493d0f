/// Where a controller keeps its fabrics: the app's own store.
///
/// Called from any thread, also several at once for different keys.
public protocol MTRStorage: NSObjectProtocol {
    /// The value of a key; `nil` when there is none.
    func storageData(forKey key: String) -> Data?
    /// Puts a value in place; returns whether it worked. The value must be durable when this returns.
    func setStorageData(_ value: Data, forKey key: String) -> Bool
    /// Takes a key away; returns whether it was there.
    func removeStorageData(forKey key: String) -> Bool
}
