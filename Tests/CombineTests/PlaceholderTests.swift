@testable import Combine
import Testing
