/** Replaces tool names that a provider refuses, and maps them back in its response. */
import { calledTools, isCall, type Turn } from '#lambdas/inference/completion/conversation.ts';
import type { CompletionRequest } from '#lambdas/inference/completion/request.ts';
import type { CompletionSink } from '#lambdas/inference/completion/sink.ts';
import type { Tool, ToolName } from '#lambdas/inference/completion/tools.ts';

/** The names that a provider accepts. */
export interface ToolNameRule {
  character: RegExp;
  firstCharacter: RegExp;
  maxLength: number;
}

/** The names of the request's tools, in both directions. A name of neither side stays the same. */
interface ToolNames {
  toProvider(name: ToolName): string;
  toCaller(name: string): ToolName;
  /** True if all names stay the same. */
  isUnchanged: boolean;
}

/** The parts of a request that contain names of tools. */
type NamedTools = Pick<CompletionRequest, 'toolNames' | 'choice' | 'turns'>;

/**
 * Depends only on the caller's request, so that its response can be read with the same names. Accepted names stay
 * unchanged, and no other name is replaced by one of them. A name in a namespace becomes `<namespace>__<name>`.
 */
export function toolNames(request: NamedTools, rule: ToolNameRule): ToolNames {
  const all = listNames(request);
  const isAccepted = ({ name, namespace }: ToolName) =>
    namespace === null && acceptedName(name, rule) === name;
  const accepted = new Set(all.filter(({ namespace }) => namespace === null).map(({ name }) => name));
  const providerNames = new Map<string, string>();
  const callerNames = new Map<string, ToolName>();
  // Remembers the last number of each replacement, so that many similar names take linear time.
  const lastNumbers = new Map<string, number>();
  for (const name of all) {
    const flat = flatName(name);
    if (isAccepted(name) || providerNames.has(keyOf(name))) continue;
    const base = acceptedName(flat, rule);
    let replacement = base;
    let number = lastNumbers.get(base) ?? 1;
    while (accepted.has(replacement) || callerNames.has(replacement)) {
      replacement = acceptedName(flat, rule, `_${++number}`);
    }
    lastNumbers.set(base, number);
    providerNames.set(keyOf(name), replacement);
    callerNames.set(replacement, { name: name.name, namespace: name.namespace });
  }
  return {
    toProvider: (name) => providerNames.get(keyOf(name)) ?? flatName(name),
    toCaller: (name) => callerNames.get(name) ?? { name, namespace: null },
    isUnchanged: providerNames.size === 0,
  };
}

function flatName({ name, namespace }: ToolName): string {
  return namespace === null ? name : `${namespace}__${name}`;
}

function keyOf({ name, namespace }: ToolName): string {
  return JSON.stringify([namespace, name]);
}

/** Renames the tools, the tool choice and earlier calls of a request. */
export function withProviderToolNames(request: CompletionRequest, rule: ToolNameRule): CompletionRequest {
  const names = toolNames(request, rule);
  if (names.isUnchanged) return request;
  const { tools, choice, turns } = request;
  const renamed = <Named extends ToolName>(named: Named): Named => ({
    ...named,
    name: names.toProvider(named),
    namespace: null,
  });
  const renameTool = (tool: Tool) => (tool.type === 'hosted' ? tool : renamed(tool));
  const renameCalls = (turn: Turn): Turn => {
    if (turn.role !== 'assistant') return turn;
    const messages = turn.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (isCall(part) ? renamed(part) : part)),
    }));
    return { ...turn, messages };
  };
  return {
    ...request,
    tools: tools.map(renameTool),
    choice: choice?.mode === 'function' ? renamed(choice) : choice,
    turns: turns.map(renameCalls),
  };
}

/** Returns a sink that writes tool calls to `sink` with the caller's names. */
export function withCallerToolNames(
  sink: CompletionSink,
  request: NamedTools,
  rule: ToolNameRule,
): CompletionSink {
  const names = toolNames(request, rule);
  if (names.isUnchanged) return sink;
  return {
    ...sink,
    choice(index) {
      const choice = sink.choice(index);
      return {
        ...choice,
        toolCall: (call) => choice.toolCall({ ...call, ...names.toCaller(call.name) }),
      };
    },
  };
}

/** Includes the names of the provider's own tools, which are never renamed. */
function listNames({ toolNames, choice, turns }: NamedTools): ToolName[] {
  const chosen = choice?.mode === 'function' ? [choice] : [];
  return [...toolNames, ...chosen, ...calledTools(turns)];
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
