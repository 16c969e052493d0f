// Where the system has modules of its own, the product MatterHubFaces holds this empty module.
