/** What changes in a request on its way to a provider. */
import type { JsonEdit } from './json-edits.ts';

export interface RequestChanges {
  edits: readonly JsonEdit[];
  /** As in `PreparedRequest`. */
  ignored: readonly string[];
}

export const noChanges: RequestChanges = { edits: [], ignored: [] };

export function joinedChanges(all: readonly RequestChanges[]): RequestChanges {
  return {
    edits: all.flatMap(({ edits }) => edits),
    ignored: [...new Set(all.flatMap(({ ignored }) => ignored))],
  };
}
