import Foundation

/// The system's wall clock.
enum SystemTime {
    static var secondsSince1970: Int64 { Int64(Date().timeIntervalSince1970) }
}
