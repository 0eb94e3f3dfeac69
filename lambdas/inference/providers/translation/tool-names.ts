/** Replaces tool names that a provider refuses, and maps them back in its response. */
import { filterObjects, type JsonObject, objectOrEmpty } from '#lambdas/platform/json/json.ts';
import type { ProviderCall } from '../provider.ts';
import type { Turn } from './messages.ts';
import type { CompletionRequest } from './request.ts';
import type { CompletionSink } from './sink.ts';

/** The names that a provider accepts. */
export interface ToolNameRule {
  character: RegExp;
  firstCharacter: RegExp;
  maxLength: number;
}

/** The names of the request's tools, in both directions. A name of neither side stays the same. */
interface ToolNames {
  toProvider(name: string): string;
  toCaller(name: string): string;
}

const unchanged: ToolNames = { toProvider: (name) => name, toCaller: (name) => name };

/**
 * Depends only on the request's body, so that its response can be read with the same names. Accepted names stay
 * unchanged, and no other name is replaced by one of them.
 */
export function toolNames(body: JsonObject, rule: ToolNameRule): ToolNames {
  const names = listNames(body);
  const refused = [...names].filter((name) => acceptedName(name, rule) !== name);
  if (refused.length === 0) return unchanged;
  const providerNames = new Map<string, string>();
  const callerNames = new Map<string, string>();
  // Remembers the last number of each replacement, so that many similar names take linear time.
  const lastNumbers = new Map<string, number>();
  for (const name of refused) {
    const base = acceptedName(name, rule);
    let replacement = base;
    let number = lastNumbers.get(base) ?? 1;
    while (names.has(replacement) || callerNames.has(replacement)) {
      replacement = acceptedName(name, rule, `_${++number}`);
    }
    lastNumbers.set(base, number);
    providerNames.set(name, replacement);
    callerNames.set(replacement, name);
  }
  return {
    toProvider: (name) => providerNames.get(name) ?? name,
    toCaller: (name) => callerNames.get(name) ?? name,
  };
}

/** Renames the tools, the tool choice and earlier calls of a request that was read from `body`. */
export function withProviderToolNames(
  request: CompletionRequest,
  body: JsonObject,
  rule: ToolNameRule,
): CompletionRequest {
  const names = toolNames(body, rule);
  if (names === unchanged) return request;
  const { tools, choice, turns } = request;
  return {
    ...request,
    tools: tools.map((tool) =>
      tool.type === 'function' ? { ...tool, name: names.toProvider(tool.name) } : tool,
    ),
    choice: choice?.mode === 'function' ? { ...choice, name: names.toProvider(choice.name) } : choice,
    turns: turns.map((turn) => renameCalls(turn, names)),
  };
}

/** Returns a sink that writes tool calls to `sink` with the caller's names. */
export function withCallerToolNames(
  sink: CompletionSink,
  { request: { body } }: ProviderCall,
  rule: ToolNameRule,
): CompletionSink {
  const names = toolNames(body, rule);
  if (names === unchanged) return sink;
  return {
    ...sink,
    choice(index) {
      const choice = sink.choice(index);
      return {
        ...choice,
        toolCall: (call) => choice.toolCall({ ...call, name: names.toCaller(call.name) }),
      };
    },
  };
}

function renameCalls(turn: Turn, names: ToolNames): Turn {
  if (turn.role === 'user') return turn;
  const messages = turn.messages.map((message) => ({
    ...message,
    toolCalls: message.toolCalls.map((call) => ({ ...call, name: names.toProvider(call.name) })),
  }));
  return { ...turn, messages };
}

/** Includes the names of the provider's own tools, which are never renamed. */
function listNames({ tools, tool_choice: choice, messages }: JsonObject): Set<string> {
  const calls = filterObjects(messages).flatMap(({ tool_calls }) => filterObjects(tool_calls));
  const functions = [...filterObjects(tools), objectOrEmpty(choice), ...calls];
  const names = functions.map(({ function: definition, name }) => objectOrEmpty(definition).name ?? name);
  return new Set(names.filter((name) => typeof name === 'string'));
}

function acceptedName(
  name: string,
  { character, firstCharacter, maxLength }: ToolNameRule,
  suffix = '',
): string {
  const accepted = Array.from(name, (value) => (character.test(value) ? value : '_')).join('');
  const first = accepted.charAt(0);
  const started = firstCharacter.test(first) ? accepted : `_${accepted}`;
  return started.slice(0, maxLength - suffix.length) + suffix;
}
