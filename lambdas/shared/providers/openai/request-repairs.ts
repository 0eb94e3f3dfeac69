/** What must change in a request before a provider takes it that does not take all of OpenAI's. */
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type RequestRules, type RequestRulesName, requestRules } from '../request-rules.ts';
import { ignoredParameters, openAiParameterNames } from '../translation/parameters.ts';
import { copy, type JsonEdit, remove } from './json-edits.ts';
import { joinedChanges, noChanges, type RequestChanges } from './request-changes.ts';
import { messageChanges } from './request-messages.ts';
import { toolChanges } from './request-tools.ts';

export interface Rewriting {
  provider: string;
  rules: RequestRulesName;
  /** Whether `stream_options` may be sent. */
  acceptsIncludeUsage: boolean;
}

/** Throws a `GatewayError` (400) that names what cannot be left out. */
export function requestChanges(
  body: JsonObject,
  { provider, rules: name, acceptsIncludeUsage }: Rewriting,
): RequestChanges {
  const rules: RequestRules = requestRules[name];
  return joinedChanges([
    acceptsIncludeUsage ? noChanges : streamOptionChanges(body),
    parameterChanges(body, { provider, rules }),
    messageChanges(body, rules),
    toolChanges(body, rules),
    { edits: renameEdits(body, rules), ignored: [] },
  ]);
}

/** Usage comes unasked where it may not be asked for; any other option is lost. */
function streamOptionChanges({ stream_options: options }: JsonObject): RequestChanges {
  if (options === undefined) return noChanges;
  const others = isJsonObject(options) ? Object.keys(options).filter((name) => name !== 'include_usage') : [];
  return { edits: [remove(['stream_options'])], ignored: others.map((name) => `stream_options.${name}`) };
}

function renameEdits(body: JsonObject, { parameterNames }: RequestRules): JsonEdit[] {
  return [...parameterNames].flatMap(([name, own]) => {
    if (body[name] === undefined) return [];
    return body[name] === null ? [remove([name])] : [copy([own], [name]), remove([name])];
  });
}

function parameterChanges(
  body: JsonObject,
  { provider, rules: { parameters: taken } }: { provider: string; rules: RequestRules },
): RequestChanges {
  if (taken === null) return noChanges;
  const ignored = ignoredParameters(body, { provider, taken });
  const refused = openAiParameterNames.filter((name) => body[name] !== undefined && !taken.has(name));
  const emptyTools = Array.isArray(body.tools) && body.tools.length === 0 ? ['tools'] : [];
  return { edits: [...refused, ...emptyTools].map((name) => remove([name])), ignored };
}
