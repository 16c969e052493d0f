// swift-tools-version: 6.2
import PackageDescription

/// One settings list for every Swift target of this package.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ room: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(room)Tests",
        dependencies: dependencies + ["TestSupport"],
        resources: [.copy("Vectors")],
        swiftSettings: settings)
}

let matterRooms: [Target.Dependency] = ["MatterWire", "MatterCrypto", "MatterModel", "MatterProtocol"]

/// The faces: modules with the names that app code imports. They exist where the system has no such modules; elsewhere the
/// product that apps depend on is there all the same, and empty, so that one manifest of an app serves both.
/// `MATTERHUB_FACES=1` or `0` decides otherwise, for instance in a cross build.
#if os(Linux)
    let isLinux = true
#else
    let isLinux = false
#endif
let hasFaces = Context.environment["MATTERHUB_FACES"].map { $0 == "1" } ?? isLinux
let faceNames = [
    "GoogleHomeSDK", "GoogleHomeMatterCommissionerSDK", "GoogleHomeTypes", "MatterSupport", "Matter", "HomeKit",
    "OSLog",
    "Combine",
]
let faces = faceNames.map { Target.Dependency(stringLiteral: $0) }

/// App-style code as apps have it: with warnings, in its language mode.
let appSettings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let faceTargets: [Target] =
    hasFaces
    ? [
        room("OSLog", ["NetIO"]),
        room("Combine", ["NetIO"]),
        room("HomeKit"),
        room("Matter", ["MatterCrypto", "MatterNode", "MatterProtocol", "MatterWire", "NetIO"]),
        room("MatterSupport", matterRooms + ["HubClient", "HubControl", "Matter", "MatterNode", "NetIO"]),
        room(
            "GoogleHomeSDK", ["Combine", "HubClient", "HubControl", "Matter", "MatterSupport", "MatterWire", "NetIO"]),
        room("GoogleHomeMatterCommissionerSDK", ["GoogleHomeSDK"]),
        room("GoogleHomeTypes", ["GoogleHomeSDK"]),
        .executableTarget(
            name: "SeedApp", dependencies: faces, path: "Sources/Samples/SeedApp", swiftSettings: appSettings),
        .executableTarget(
            name: "SeedExtension", dependencies: faces, path: "Sources/Samples/SeedExtension",
            swiftSettings: appSettings),
        // The faces over a fake hub, and over a real one with a virtual light.
        tests(
            "Faces",
            faces + matterRooms + [
                "FacesCompile", "FakeHub", "Hub", "HubClient", "HubControl", "MatterNode", "NetIO", "VirtualHome",
            ]),
        tests("OSLog", ["OSLog", "NetIO"]),
        tests("Combine", ["Combine", "NetIO"]),
        tests("HomeKit", ["HomeKit"]),
        tests("Matter", matterRooms + ["Matter", "MatterNode", "NetIO", "VirtualHome"]),
        tests(
            "MatterSupport",
            matterRooms + [
                "MatterSupport", "Matter", "MatterNode", "NetIO", "HubClient", "HubControl", "VirtualHome",
                "SetupDoubles", "TestExtension",
            ]),
        // An extension that does as it is told, in the tests' process and as an executable, and a phone like it.
        .target(
            name: "SetupDoubles", dependencies: ["MatterSupport", "MatterWire", "NetIO"], path: "Tests/SetupDoubles",
            swiftSettings: settings),
        .executableTarget(
            name: "TestExtension", dependencies: ["MatterSupport", "NetIO", "SetupDoubles"],
            path: "Tests/TestExtension", swiftSettings: settings),
        .target(name: "FacesCompile", dependencies: faces, path: "Tests/FacesCompile", swiftSettings: appSettings),
    ]
    : [.target(name: "MatterHubNoFaces", path: "Sources/NoFaces")]

/// Names of test targets, separated by commas: only these are built and run. For work on one room, where building all tests
/// takes minutes; `tools/test` does not set it.
let wantedTests = Context.environment["MATTERHUB_TEST_TARGETS"]?.split(separator: ",").map(String.init)

/// `tools/fuzz` builds the decoders' fuzz targets as a library, instrumented; nobody else sees that product.
let fuzzProducts: [Product] =
    Context.environment["MATTERHUB_FUZZ"] == "1"
    ? [.library(name: "MatterHubFuzz", type: .static, targets: ["FuzzTargets"])] : []

let package = Package(
    name: "MatterHub",
    products: [
        .executable(name: "matterhub", targets: ["matterhub"]),
        .library(name: "HubClient", targets: ["HubClient"]),
        .library(
            name: "MatterHubFaces",
            targets: hasFaces ? faceNames : ["MatterHubNoFaces"]),
    ] + fuzzProducts,
    targets: [
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CDNSSD"),
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(name: "CQRencode"),
        .systemLibrary(name: "CGetopt"),

        room("MatterWire"),
        room("MatterCrypto", ["MatterWire", "COpenSSL"]),
        room("MatterModel", ["MatterWire", "MatterCrypto"]),
        room("MatterProtocol", ["MatterWire", "MatterCrypto"]),
        room("HubControl"),
        room("NetIO", ["CDNSSD", "COpenSSL"]),
        room("MatterCapture", matterRooms + ["HubControl"]),
        room("MatterNode", matterRooms + ["MatterCapture", "NetIO"]),
        room("Transcript", ["HubControl", "NetIO"]),
        room("Hub", matterRooms + ["MatterNode", "HubControl", "NetIO", "Transcript", "CSQLite"]),
        room("HubClient", ["HubControl", "NetIO", "MatterWire", "Transcript"]),
        room("Conformance", matterRooms + ["HubClient", "HubControl", "MatterNode", "NetIO"]),
        room("TestSupport", ["MatterWire", "MatterCrypto"]),
        .executableTarget(
            name: "matterhub",
            dependencies: matterRooms + [
                "Conformance", "Hub", "HubClient", "HubControl", "NetIO", "MatterNode", "MatterCapture", "Transcript",
                "CQRencode", "CGetopt",
            ],
            swiftSettings: settings),

        tests("MatterWire", ["MatterWire"]),
        tests("MatterCrypto", ["MatterCrypto", "MatterWire"]),
        tests("MatterModel", ["MatterModel", "MatterWire", "MatterCrypto"]),
        tests("MatterProtocol", ["MatterProtocol", "MatterWire", "MatterCrypto"]),
        tests("HubControl", ["HubControl"]),
        tests("NetIO", ["NetIO"]),
        tests("MatterCapture", matterRooms + ["MatterCapture", "MatterNode", "NetIO", "VirtualHome"]),
        tests("Transcript", ["Transcript", "HubControl", "NetIO", "HubClient", "FakeHub"]),
        // A virtual light and controllers on a network in memory.
        .target(
            name: "VirtualHome", dependencies: matterRooms + ["MatterNode", "NetIO", "TestSupport"],
            path: "Tests/VirtualHome", swiftSettings: settings),
        tests("MatterNode", matterRooms + ["MatterNode", "NetIO", "VirtualHome"]),
        tests("Hub", matterRooms + ["Hub", "HubControl", "NetIO", "MatterNode", "Transcript", "VirtualHome"]),
        tests("Fault", matterRooms + ["Hub", "HubControl", "NetIO", "MatterNode", "VirtualHome"]),
        tests("HubClient", ["HubClient", "HubControl", "NetIO", "FakeHub"]),
        .target(
            name: "FakeHub", dependencies: ["HubControl", "NetIO"], path: "Tests/FakeHub", swiftSettings: settings),
        tests(
            "Conformance",
            matterRooms + ["Conformance", "Hub", "HubClient", "HubControl", "MatterNode", "NetIO", "VirtualHome"]),
        tests("Command", ["matterhub", "FakeHub", "HubControl"]),
        // What each decoder of outside input must hold to, whatever comes: for tools/fuzz, and for tests over seeds.
        .target(
            name: "FuzzTargets",
            dependencies: matterRooms + [
                "Hub", "HubClient", "HubControl", "MatterCapture", "MatterNode", "NetIO", "TestSupport", "Transcript",
            ],
            path: "Tests/FuzzTargets", swiftSettings: settings),
        tests("Fuzz", ["FuzzTargets"]),
    ] + faceTargets,
    swiftLanguageModes: [.v6]
)

if let wantedTests {
    package.targets.removeAll { $0.type == .test && !wantedTests.contains($0.name) }
}
