import MatterProtocol

/// Everything that happens when nothing goes wrong.
let goodRun = [
    "entered readInfo", "read 6 pase", "read 4 pase", "entered armFailSafe", "ArmFailSafe(60) pase",
    "entered regulatory", "SetRegulatoryConfig(0 XX) pase", "SetUTCTime pase", "entered attestation",
    "CertificateChainRequest(2) pase", "CertificateChainRequest(1) pase", "AttestationRequest pase", "entered csr",
    "CSRRequest pase", "entered addRoot", "journal addNOC", "AddTrustedRootCertificate pase", "entered addNOC",
    "AddNOC pase", "journal complete", "entered operational", "establish", "entered complete",
    "CommissioningComplete operational", "finished",
]

/// The requests of a good run with the stage in which each is made, in order.
let goodRunRequests: [(word: String, stage: CommissioningStage)] = {
    var stage = CommissioningStage.readInfo
    var requests: [(String, CommissioningStage)] = []
    for word in goodRun {
        if word.hasPrefix("entered "), let next = CommissioningStage(rawValue: String(word.dropFirst(8))) {
            stage = next
        } else if !word.hasPrefix("journal"), word != "finished" {
            requests.append((word, stage))
        }
    }
    return requests
}()
