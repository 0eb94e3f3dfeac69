/** A recorded exchange with canaries in the caller's words and in the provider's. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture } from '../providers/fixture.ts';
import type { Canaries, ContentKind } from './canaries.ts';

const kindsByRole: Readonly<Record<string, ContentKind>> = {
  user: 'prompt',
  system: 'system',
  assistant: 'assistant',
  tool: 'tool result',
};

/** Of a message, and of a part of one: a part does not say whose it is. */
function requestedKind(name: string, role: unknown): ContentKind | undefined {
  if (name === 'arguments') return 'tool arguments';
  if (name === 'text' || name === 'content') return kindsByRole[String(role)] ?? 'prompt';
  return name === 'description' ? 'tool description' : undefined;
}

const answeredKinds = new Map<string, ContentKind>([
  ['content', 'answer'],
  ['text', 'answer'],
  ['refusal', 'answer'],
  ['reasoning', 'reasoning'],
  ['reasoning_content', 'reasoning'],
  ['thinking', 'reasoning'],
  ['arguments', 'answered arguments'],
  ['message', "provider's error"],
]);

/** `credential` is put into what the provider says of its errors. */
export function withCanaries(fixture: Fixture, { content }: Canaries, credential: string): Fixture {
  const { request, plain, stream, ...rest } = fixture;
  return {
    ...rest,
    request: withTexts(request, requestedKind),
    plain: withTexts(plain, (name) => answeredKinds.get(name)),
    stream: withTexts(stream, (name) => answeredKinds.get(name)),
  };

  function withTexts<Value>(value: Value, kindOf: typeof requestedKind): Value {
    return JSON.parse(
      JSON.stringify(value),
      function (this: { role?: unknown }, name: string, member: unknown) {
        const kind = typeof member === 'string' && member !== '' ? kindOf(name, this.role) : undefined;
        if (kind === undefined) return member;
        if (name === 'arguments') return withNote(String(member), content[kind]);
        return `${member} ${content[kind]}${kind === "provider's error" ? ` ${credential}` : ''}`;
      },
    );
  }
}

/** A piece of a stream is not JSON of its own, and stays as it is. */
function withNote(text: string, note: string): string {
  const value = parseJson(text);
  return isJsonObject(value) ? JSON.stringify({ ...value, note }) : text;
}
