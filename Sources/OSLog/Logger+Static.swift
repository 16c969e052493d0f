/// The levels without a logger of one's own. The system has none of these: apps write them in an extension of `Logger`,
/// and code that counts on such an extension compiles here without it.
///
/// They are disfavoured, so that an app's own functions of the same names are chosen whatever they take.
extension Logger {
    /// Writes at the default level without names; see ``log(_:)-swift.method``.
    @_disfavoredOverload public static func log(_ message: OSLogMessage) { Logger().log(message) }
    /// Writes without names; see ``trace(_:)-swift.method``.
    @_disfavoredOverload public static func trace(_ message: OSLogMessage) { Logger().trace(message) }
    /// Writes without names; see ``debug(_:)-swift.method``.
    @_disfavoredOverload public static func debug(_ message: OSLogMessage) { Logger().debug(message) }
    /// Writes without names; see ``info(_:)-swift.method``.
    @_disfavoredOverload public static func info(_ message: OSLogMessage) { Logger().info(message) }
    /// Writes without names; see ``notice(_:)-swift.method``.
    @_disfavoredOverload public static func notice(_ message: OSLogMessage) { Logger().notice(message) }
    /// Writes without names; see ``warning(_:)-swift.method``.
    @_disfavoredOverload public static func warning(_ message: OSLogMessage) { Logger().warning(message) }
    /// Writes without names; see ``error(_:)-swift.method``.
    @_disfavoredOverload public static func error(_ message: OSLogMessage) { Logger().error(message) }
    /// Writes without names; see ``critical(_:)-swift.method``.
    @_disfavoredOverload public static func critical(_ message: OSLogMessage) { Logger().critical(message) }
    /// Writes without names; see ``fault(_:)-swift.method``.
    @_disfavoredOverload public static func fault(_ message: OSLogMessage) { Logger().fault(message) }
}
