import HubClient
import HubControl

/// A home: rooms, devices, one Matter fabric, at most one commissioning session.
public struct Structure: HomeObject {
    /// The structure's id.
    public let id: String
    /// The structure's name.
    public let name: String
    let structureID: StructureID
    let link: AppLink

    init(id: StructureID, name: String, link: AppLink) {
        self.id = id.text
        self.name = name
        structureID = id
        self.link = link
    }
}
