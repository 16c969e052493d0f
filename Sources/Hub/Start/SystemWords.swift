import Foundation
import Glibc

/// What the system says of a failure, in its own plain words.
package enum SystemWords {
    /// For example `Not a directory`, where Foundation would print its error's insides.
    package static func reason(of error: any Error) -> String {
        var next: NSError? = error as NSError
        while let current = next {
            if current.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(current.code))) }
            // Not `as? NSError`: that finds no Swift error on Linux, and this is one.
            next = (current.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        }
        return "the system gives no reason"
    }
}
