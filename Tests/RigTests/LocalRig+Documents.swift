import Foundation
import TestSupport

extension LocalRig {
    private static let documentSchema = BuiltPrograms.repository.appendingPathComponent(
        "Sources/Documents/documents.schema.json"
    ).path

    /// Reads a document, or one a line, from a file, and says what of it the schema does not allow.
    private static let documentJudge = """
        import json, sys, warnings
        warnings.simplefilter("ignore")
        import jsonschema
        schema, name, path, lines = sys.argv[1:]
        schema = json.load(open(schema))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/" + name, "$defs": schema["$defs"]})
        text = open(path).read()
        documents = [json.loads(line) for line in text.splitlines()] if lines == "lines" else [json.loads(text)]
        for document in documents:
            for error in validator.iter_errors(document):
                print(error.json_path, error.message[:300])
        print(len(documents), "read")
        """

    /// What Debian's jsonschema finds wrong with a document, and how many it has read.
    func judge(_ text: String, as name: String, isOfLines: Bool = false) throws -> String {
        let path = try write("\(name).json", text)
        let judged = try run(
            "/usr/bin/python3",
            ["-c", Self.documentJudge, Self.documentSchema, name, path, isOfLines ? "lines" : "whole"])
        return judged.output + judged.errors
    }
}
