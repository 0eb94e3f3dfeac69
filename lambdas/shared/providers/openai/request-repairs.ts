/** What must change in a request before a provider takes it that does not take all of OpenAI's. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { CatalogEntry } from '../catalog.ts';
import type { StrictRules } from '../request-rules.ts';
import { ignoredParameters, openAiParameterNames } from '../translation/parameters.ts';
import { copy, type JsonEdit, remove } from './json-edits.ts';
import { joinedChanges, type RequestChanges } from './request-changes.ts';
import { messageChanges } from './request-messages.ts';

/** Throws a `GatewayError` (400) that names what cannot be left out. */
export function requestChanges(
  body: JsonObject,
  { provider, entry }: { provider: string; entry: CatalogEntry },
): RequestChanges {
  const { renamed, strict } = entry.requestRules;
  return joinedChanges([
    streamOptionChanges(body, entry),
    ...(strict === null ? [] : [strictChanges(body, { provider, strict })]),
    { edits: renameEdits(body, renamed), ignored: [] },
  ]);
}

/** Usage comes unasked where it may not be asked for; any other option is lost. */
function streamOptionChanges(body: JsonObject, { acceptsIncludeUsage }: CatalogEntry): RequestChanges {
  const { stream_options: options } = body;
  if (acceptsIncludeUsage || options === undefined) return { edits: [], ignored: [] };
  const others = isJsonObject(options) ? Object.keys(options).filter((name) => name !== 'include_usage') : [];
  return { edits: [remove(['stream_options'])], ignored: others.map((name) => `stream_options.${name}`) };
}

function renameEdits(body: JsonObject, renamed: Readonly<Record<string, string>>): JsonEdit[] {
  return Object.entries(renamed).flatMap(([name, own]) => {
    if (body[name] === undefined) return [];
    return body[name] === null ? [remove([name])] : [copy([own], [name]), remove([name])];
  });
}

function strictChanges(
  body: JsonObject,
  { provider, strict }: { provider: string; strict: StrictRules },
): RequestChanges {
  const ignored = ignoredParameters(body, { provider, taken: strict.parameters });
  const refused = openAiParameterNames.filter(
    (name) => body[name] !== undefined && !strict.parameters.has(name),
  );
  const emptyTools = Array.isArray(body.tools) && body.tools.length === 0 ? [remove(['tools'])] : [];
  const messages = messageChanges(body, strict);
  return {
    edits: [...refused.map((name) => remove([name])), ...emptyTools, ...messages.edits],
    ignored: [...ignored, ...messages.ignored],
  };
}
