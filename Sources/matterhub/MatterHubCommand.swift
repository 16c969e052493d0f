@main
struct MatterHubCommand {
    static func main() {
        print("matterhub: no subcommand is built yet")
    }
}
