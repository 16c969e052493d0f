import MatterCrypto
import MatterNode
import MatterWire

/// A case about a device.
typealias DeviceCase = ConformanceCase<DeviceBench>

/// The suite that holds a device's commissioning to the specification.
package enum DeviceSuite {
    /// The cases in their order: those that need the printed code first, those that remove fabrics last.
    package static let suite = ConformanceSuite(
        name: "device", behaviours: behaviours,
        cases: advertisementCases + Array(paseCases.prefix(3)) + factoryCases + completionCases
            + Array(paseCases.dropFirst(3)) + informationCases + attestationCases + csrCases + caseCases + accessCases
            + windowCases + failSafeCases + orderCases + fabricCases + messageCases + removalCases)
}

/// A device as the subject of a run.
package struct DeviceSubject: ConformanceSubject {
    private let bench: DeviceBench

    package init(_ bench: DeviceBench) { self.bench = bench }

    package var description: String {
        let discriminator =
            switch bench.order.payload.discriminator {
            case .long(let value): "discriminator \(value.rawValue)"
            case .short(let value): "short discriminator \(value.rawValue)"
            }
        return "device with \(discriminator)" + (bench.order.address.map { " at \($0.text)" } ?? "")
    }

    package var secrets: [String] { bench.order.secrets }

    package func absence(of need: ConformanceNeed) -> String? {
        guard need == .multicast, bench.environment.discovery == nil else { return nil }
        return "there is no multicast DNS in this run: --mdns asks for it where --address is given"
    }

    package func begin() async throws -> DeviceBench { bench }
    package func end(_ bench: DeviceBench) async -> [String] { await bench.tidy() }
}

extension ConformanceNeed {
    /// Multicast DNS that reaches the device.
    static let multicast = ConformanceNeed("mdns")
}

extension ConformanceCase where Context == DeviceBench {
    /// Makes a case about a device.
    ///
    /// - Parameter meaning: what a failure likely means and where to look, unless the failure itself says so.
    init(
        _ name: String, _ title: String, _ behaviours: [String], needs: [ConformanceNeed] = [],
        timeLimit: Duration = .seconds(180), meaning: String,
        _ body: @escaping @Sendable (isolated DeviceBench) async throws -> Void
    ) {
        self.init(name, title, behaviours, needs: needs, timeLimit: timeLimit) { bench in
            do {
                try await body(bench)
            } catch var failure as ConformanceFailure {
                failure.meaning = failure.meaning ?? meaning
                throw failure
            }
        }
    }
}
