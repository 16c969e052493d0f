import MatterCrypto
import MatterWire

/// What a device showed for its attestation.
public final class MTRDeviceAttestationDeviceInfo: NSObject, Sendable {
    /// The vendor that the device attestation certificate names; `nil` when it does not decode.
    public let vendorID: NSNumber?
    /// The product that the device attestation certificate names; `nil` when it does not decode.
    public let productID: NSNumber?
    /// The device attestation certificate, X.509 in DER.
    public let dacCertificate: Data
    /// The intermediate that issued it, X.509 in DER.
    public let dacPAICertificate: Data
    /// The certification declaration, CMS in DER; `nil` when the attestation elements do not decode.
    public let certificateDeclaration: Data?

    init(_ evidence: AttestationEvidence) {
        dacCertificate = Data(evidence.dac)
        dacPAICertificate = Data(evidence.pai)
        do throws(AttestationError) {
            let elements = try AttestationElements(decoding: evidence.elements)
            certificateDeclaration = Data(elements.certificationDeclaration)
        } catch {
            certificateDeclaration = nil
        }
        do throws(AttestationError) {
            let subject = try AttestationSubject(AttestationCertificate(der: evidence.dac).subject)
            vendorID = subject.vendorID.map { NSNumber(value: $0.rawValue) }
            productID = subject.productID.map { NSNumber(value: $0.rawValue) }
        } catch {
            vendorID = nil
            productID = nil
        }
    }
}

/// Decides whether a device is let in; every method is optional, called on any thread, and one of the two is enough.
///
/// Commissioning waits until ``MTRDeviceController/continueCommissioningDevice(_:ignoreAttestationFailure:)`` is called.
public protocol MTRDeviceAttestationDelegate: NSObjectProtocol {
    /// The attestation was judged; called for good and for bad devices.
    ///
    /// - Parameters:
    ///   - opaqueDeviceHandle: names the device to `continueCommissioningDevice`.
    ///   - error: `nil` when every rule was kept.
    func deviceAttestationCompleted(
        for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer,
        attestationDeviceInfo: MTRDeviceAttestationDeviceInfo, error: (any Error)?)
    /// The attestation was refused; only where the other method is not there.
    func deviceAttestationFailed(
        for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer, error: any Error)
}

extension MTRDeviceAttestationDelegate {
    /// Lets a good device in, and asks the other method about a bad one.
    public func deviceAttestationCompleted(
        for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer,
        attestationDeviceInfo: MTRDeviceAttestationDeviceInfo, error: (any Error)?
    ) {
        if let error {
            deviceAttestationFailed(for: controller, opaqueDeviceHandle: opaqueDeviceHandle, error: error)
        } else {
            controller.decide(opaqueDeviceHandle, true)
        }
    }

    /// Lets a bad device not in.
    public func deviceAttestationFailed(
        for controller: MTRDeviceController, opaqueDeviceHandle: UnsafeMutableRawPointer, error: any Error
    ) {
        controller.decide(opaqueDeviceHandle, false)
    }
}
