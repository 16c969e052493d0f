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
let faces: [Target.Dependency] = ["GoogleHomeSDK", "GoogleHomeMatterCommissionerSDK", "MatterSupport"]

let package = Package(
    name: "MatterHub",
    products: [
        .executable(name: "matterhub", targets: ["matterhub"]),
        .library(name: "HubClient", targets: ["HubClient"]),
        .library(
            name: "MatterHubFaces",
            targets: ["GoogleHomeSDK", "GoogleHomeMatterCommissionerSDK", "MatterSupport"]),
    ],
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
        room("MatterNode", matterRooms + ["NetIO"]),
        room("Hub", matterRooms + ["MatterNode", "HubControl", "NetIO", "CSQLite"]),
        room("HubClient", ["HubControl", "NetIO", "MatterWire"]),
        room("MatterSupport", ["HubClient"]),
        room("GoogleHomeSDK", ["HubClient", "HubControl", "MatterSupport"]),
        room("GoogleHomeMatterCommissionerSDK", ["GoogleHomeSDK"]),
        room("TestSupport", ["MatterWire", "MatterCrypto"]),
        .executableTarget(
            name: "matterhub",
            dependencies: matterRooms + [
                "Hub", "HubClient", "HubControl", "NetIO", "MatterNode", "CQRencode", "CGetopt",
            ],
            swiftSettings: settings),

        tests("MatterWire", ["MatterWire"]),
        tests("MatterCrypto", ["MatterCrypto", "MatterWire"]),
        tests("MatterModel", ["MatterModel", "MatterWire", "MatterCrypto"]),
        tests("MatterProtocol", ["MatterProtocol", "MatterWire", "MatterCrypto"]),
        tests("HubControl", ["HubControl"]),
        tests("NetIO", ["NetIO"]),
        // A virtual light and controllers on a network in memory.
        .target(
            name: "VirtualHome", dependencies: matterRooms + ["MatterNode", "NetIO", "TestSupport"],
            path: "Tests/VirtualHome", swiftSettings: settings),
        tests("MatterNode", matterRooms + ["MatterNode", "NetIO", "VirtualHome"]),
        tests("Hub", matterRooms + ["Hub", "HubControl", "NetIO", "MatterNode", "VirtualHome"]),
        tests("HubClient", ["HubClient", "HubControl", "NetIO", "FakeHub"]),
        tests("Faces", faces + ["FacesCompile", "FakeHub", "HubClient", "HubControl", "NetIO"]),
        .target(
            name: "FakeHub", dependencies: ["HubControl", "NetIO"], path: "Tests/FakeHub", swiftSettings: settings),
        // App-style code as apps have it: with warnings, in their language mode.
        .target(
            name: "FacesCompile", dependencies: faces, path: "Tests/FacesCompile",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        tests("Command", ["matterhub", "FakeHub", "HubControl"]),
    ],
    swiftLanguageModes: [.v6]
)
