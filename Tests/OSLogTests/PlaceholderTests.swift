@testable import OSLog
import Testing
