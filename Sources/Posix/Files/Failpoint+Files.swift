/// Steps of any file that is kept whole: a photo or a journal of a spool, an archive of a library.
extension Failpoint {
    /// A file is written aside, and not synced.
    static var fileWritten: Failpoint { Failpoint("fileWritten") }
    /// It is synced, and has not its name.
    static var fileSynced: Failpoint { Failpoint("fileSynced") }
    /// It has its name, which is not synced.
    static var fileRenamed: Failpoint { Failpoint("fileRenamed") }
}
