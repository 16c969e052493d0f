import MatterProtocol
import MatterWire

/// What a device answered to one command.
enum DeviceAnswer: Sendable {
    case status(StatusIB)
    /// The response command's fields.
    case response(TLVValue)
    case failed(InteractionFailure)

    init(_ result: Result<InvokeResult, InteractionFailure>) {
        switch result {
        case .success(let result):
            switch result.outcome {
            case .status(let status)?: self = .status(status)
            case .response(_, let fields)?: self = .response(fields)
            case nil: self = .failed(InteractionFailure(.mismatchedAnswer))
            }
        case .failure(let failure): self = .failed(failure)
        }
    }

    /// The status, also of a request that was refused as a whole.
    var status: StatusIB? {
        switch self {
        case .status(let status): status
        case .response: nil
        case .failed(let failure): failure.peerStatus.map { StatusIB($0) }
        }
    }

    /// The number in the response's first field, where General Commissioning and NOCResponse have their code.
    var code: UInt64? { if case .response(let fields) = self { fields[0]?.unsigned } else { nil } }

    var fields: TLVValue? { if case .response(let fields) = self { fields } else { nil } }

    /// What came, in words.
    func words(naming codes: CodeNames? = nil) -> String {
        switch self {
        case .status(let status): status.words
        case .response(let fields):
            fields[0]?.unsigned.map { "a response with \(codes?.words($0) ?? "code \($0)")" } ?? "a response"
        case .failed(let failure): failure.explanation
        }
    }

    /// What the codes of a response mean.
    enum CodeNames {
        case generalCommissioning, nodeOperationalCertificate

        func words(_ code: UInt64) -> String {
            let narrow = UInt8(clamping: code)
            return switch self {
            case .generalCommissioning: "\(GeneralCommissioningResponse.ErrorCode(rawValue: narrow)) (\(code))"
            case .nodeOperationalCertificate: "\(NOCResponse.Status(rawValue: narrow)) (\(code))"
            }
        }
    }
}

extension StatusIB {
    /// The status in words, with the cluster's own code.
    var words: String { clusterStatus.map { "\(status) with cluster status \($0)" } ?? "\(status)" }
}

// MARK: - Expectations

extension DeviceAnswer {
    /// Holds the answer to one of these statuses.
    ///
    /// - Parameter what: what was sent, in words: `CSRRequest without a fail-safe`.
    func expect(_ what: String, refusedWith statuses: InteractionStatus...) throws(ConformanceFailure) {
        guard let status, statuses.contains(status.status) else {
            let wanted = statuses.map { "\($0)" }.joined(separator: " or ")
            throw ConformanceFailure(expected: "\(what) to be refused with \(wanted)", seen: words())
        }
    }

    /// Holds the answer to `FAILURE` with this status of the cluster.
    func expect(_ what: String, refusedWithClusterStatus code: UInt8, _ name: String) throws(ConformanceFailure) {
        guard let status, status.status == .failure, status.clusterStatus == code else {
            throw ConformanceFailure(
                expected: "\(what) to be refused with failure (0x01) and cluster status \(code), \(name)", seen: words()
            )
        }
    }

    /// Holds the answer to one of these codes in its response.
    func expect(_ what: String, answeredWith codes: UInt8..., naming names: CodeNames) throws(ConformanceFailure) {
        guard let code, codes.contains(where: { UInt64($0) == code }) else {
            let wanted = codes.map { names.words(UInt64($0)) }.joined(separator: " or ")
            throw ConformanceFailure(
                expected: "\(what) to be answered with \(wanted)", seen: words(naming: names))
        }
    }

    /// Holds the answer to success.
    func expectSuccess(_ what: String) throws(ConformanceFailure) {
        guard let status, status.isSuccess else {
            throw ConformanceFailure(expected: "\(what) to succeed", seen: words())
        }
    }
}
