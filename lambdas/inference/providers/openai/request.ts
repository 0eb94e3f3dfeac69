/** What must change in a request before a provider takes it that does not take all of OpenAI's. */
import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import { type RequestRules, type RequestRulesName, requestRules } from '../request-rules.ts';
import { ignoredParameters, openAiParameterNames } from '../translation/parameters.ts';
import {
  copy,
  type JsonEdit,
  type JsonPath,
  joinedChanges,
  noChanges,
  type RequestChanges,
  remove,
  set,
} from './json-edits.ts';
import { markChanges, messageChanges } from './request-messages.ts';
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

// The tools of a request for a provider that knows fewer fields than OpenAI.

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
