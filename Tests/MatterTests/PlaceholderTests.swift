@testable import Matter
import Testing
