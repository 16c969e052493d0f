/// Carries a value from the thread that sends it to the task that waits for it.
// Sendable: the sender gives it away and does not touch it again, as far as a publisher can promise that; `values` of the
// system's Combine does the same.
struct Parcel<Value>: @unchecked Sendable {
    let value: Value
}
