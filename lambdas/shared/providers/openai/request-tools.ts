/** The tools of a request for a provider that knows fewer fields than OpenAI. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { RequestRules } from '../request-rules.ts';
import { type JsonEdit, type JsonPath, set } from './json-edits.ts';
import { joinedChanges, noChanges, type RequestChanges } from './request-changes.ts';
import { markChanges } from './request-parts.ts';

export function toolChanges({ tools }: JsonObject, { messages: rules }: RequestRules): RequestChanges {
  if (rules === null || !Array.isArray(tools)) return noChanges;
  return joinedChanges(
    tools.flatMap((tool, place) => {
      if (!isJsonObject(tool)) return [];
      const path: JsonPath = ['tools', place];
      const edits = rules.parts === 'mistral' ? missingParameters(tool, path) : [];
      return [markChanges(tool, path), { edits, ignored: [] }];
    }),
  );
}

/** OpenAI takes a function without parameters for one that has none; Mistral wants to be told so. */
function missingParameters({ function: callee }: JsonObject, path: JsonPath): JsonEdit[] {
  if (!isJsonObject(callee) || isJsonObject(callee.parameters)) return [];
  return [set([...path, 'function', 'parameters'], { type: 'object', properties: {} })];
}
