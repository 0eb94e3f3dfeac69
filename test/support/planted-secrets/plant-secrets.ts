/** Plants secrets in the request and the responses of a fixture. */
import { isJsonObject, parseJson } from '#lambdas/platform/json/json.ts';
import type { Fixture } from '../providers/fixture.ts';
import type { ContentKind, PlantedSecrets } from './secrets.ts';

const kindsByRole: Readonly<Record<string, ContentKind>> = {
  user: 'prompt',
  system: 'system',
  assistant: 'assistant',
  tool: 'tool result',
};

/** `role` is undefined within a content part, which is then taken for the user's. */
function requestKind(name: string, role: unknown): ContentKind | undefined {
  if (name === 'arguments') return 'tool arguments';
  if (name === 'text' || name === 'content') return kindsByRole[String(role)] ?? 'prompt';
  return name === 'description' ? 'tool description' : undefined;
}

const responseKinds = new Map<string, ContentKind>([
  ['content', 'completion'],
  ['text', 'completion'],
  ['refusal', 'completion'],
  ['reasoning', 'reasoning'],
  ['reasoning_content', 'reasoning'],
  ['thinking', 'reasoning'],
  ['arguments', 'completion arguments'],
  ['message', "provider's error"],
]);

/** Also plants `credential` in the provider's error messages. */
export function plantSecrets(fixture: Fixture, { content }: PlantedSecrets, credential: string): Fixture {
  const { request, plain, stream, ...rest } = fixture;
  return {
    ...rest,
    request: withTexts(request, requestKind),
    plain: withTexts(plain, (name) => responseKinds.get(name)),
    stream: withTexts(stream, (name) => responseKinds.get(name)),
  };

  function withTexts<Value>(value: Value, kindOf: typeof requestKind): Value {
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

/** A fragment of JSON in a stream stays unchanged. */
function withNote(text: string, note: string): string {
  const value = parseJson(text);
  return isJsonObject(value) ? JSON.stringify({ ...value, note }) : text;
}
