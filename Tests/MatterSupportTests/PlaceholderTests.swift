import MatterSupport
import Testing
