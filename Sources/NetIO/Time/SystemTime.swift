import Glibc

/// What the system says of now and of this process, for files that people read later.
package enum SystemTime {
    /// Milliseconds since 1970; jumps when the clock is set.
    package static var unixMilliseconds: Int64 { unixMicroseconds / 1000 }

    /// Microseconds since 1970; jumps when the clock is set.
    package static var unixMicroseconds: Int64 {
        var time = timespec()
        // Cannot fail: the clock exists, and the pointer is ours.
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// The number of this process.
    package static var processID: Int32 { getpid() }
}
