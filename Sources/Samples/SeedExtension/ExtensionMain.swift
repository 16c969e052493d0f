// The one file that the extension has more on Linux, where no system starts it.
import MatterSupport

@main
struct ExtensionMain {
    static func main() async throws {
        try await MatterExtensionHost.main { RequestHandler() }
    }
}
