/// Where the hub's state is.
enum StateFolder {
    /// `--state-dir`, else `$XDG_STATE_HOME/matterhub`, else `~/.local/state/matterhub`.
    static func path(_ options: ParsedOptions, _ console: Console) throws(UsageError) -> String {
        if let path = try options.string("state-dir") { return path }
        if let base = console.environment["XDG_STATE_HOME"], !base.isEmpty { return base + "/matterhub" }
        guard let home = console.environment["HOME"], !home.isEmpty else {
            throw UsageError("--state-dir is missing, and neither XDG_STATE_HOME nor HOME is set")
        }
        return home + "/.local/state/matterhub"
    }
}
