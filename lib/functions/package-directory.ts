/** Returns the directory of the innermost package that contains the file; empty for a file of the project itself. */
export function packageDirectory(file: string): string[] {
  return file.match(/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/) ?? [];
}
