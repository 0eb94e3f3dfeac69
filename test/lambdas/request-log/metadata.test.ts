import { describe, expect, it } from 'vitest';
import { noMetadata, readMetadata, withAgentSession } from '#lambdas/request-log/metadata.ts';
import type { OperationName } from '#lambdas/request-log/operation.ts';

describe('readMetadata', () => {
  it('reads the three metadata headers and ignores an empty one', () => {
    const headers = {
      'gateway-prompt-id': 'welcome v2',
      'gateway-session-id': ' s-1 ',
      'gateway-user-id': '',
      'gateway-userid': 'misspelled',
    };
    expect(readMetadata(headers)).toEqual({ prompt_id: 'welcome v2', session_id: 's-1', user_id: null });
  });

  it('accepts 256 bytes and returns 400 for more', () => {
    expect(readMetadata({ 'gateway-user-id': 'é'.repeat(128) }).user_id).toBe('é'.repeat(128));
    expect(() => readMetadata({ 'gateway-user-id': 'é'.repeat(129) })).toThrow(
      expect.objectContaining({ status: 400, param: 'gateway-user-id' }),
    );
  });

  it.each(['José', '日本', '😀'])('decodes UTF-8 that Node.js has read as Latin-1: %s', (name) => {
    const asLatin1 = Buffer.from(name).toString('latin1');
    expect(readMetadata({ 'gateway-user-id': asLatin1 }).user_id).toBe(name);
    expect(readMetadata({ 'gateway-user-id': name }).user_id).toBe(name);
  });

  it('keeps a value that is not UTF-8', () => {
    expect(readMetadata({ 'gateway-user-id': 'Jos\u00e9' }).user_id).toBe('José');
  });

  it.each(['a\u001bb', 'a\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\ud800b', 'a\0b', 'a\u007fb'])(
    'returns 400 for a value that could forge a log line: %j',
    (value) => {
      expect(() => readMetadata({ 'gateway-session-id': value })).toThrow(
        expect.objectContaining({
          status: 400,
          param: 'gateway-session-id',
          message: 'gateway-session-id must not contain control characters',
        }),
      );
    },
  );

  it('accepts the zero-width joiner of emoji', () => {
    expect(readMetadata({ 'gateway-user-id': '👩\u200d👧' }).user_id).toBe('👩\u200d👧');
  });

  it.each(['__proto__', 'constructor'])('accepts the value %s', (value) => {
    expect(readMetadata({ 'gateway-user-id': value }).user_id).toBe(value);
  });
});

const claudeCode = 'x-claude-code-session-id';

function sessionOf(headers: Record<string, string>, operation: OperationName = 'messages') {
  return withAgentSession(noMetadata, operation, headers).session_id;
}

describe('withAgentSession', () => {
  it.each([
    ['Claude Code', claudeCode],
    ['Codex', 'session-id'],
    ['an older Codex', 'session_id'],
  ])('fills the session with that of %s', (_agent, name) => {
    const metadata = { prompt_id: 'p', session_id: null, user_id: 'ada' };
    for (const operation of ['messages', 'responses'] as const) {
      expect(withAgentSession(metadata, operation, { [name]: ' s-1 ' })).toEqual({
        ...metadata,
        session_id: 's-1',
      });
    }
  });

  it.each(['chat.completions', 'embeddings'] as const)('reads no session of agents for %s', (operation) => {
    expect(sessionOf({ [claudeCode]: 's-1', 'session-id': 's-2' }, operation)).toBe(null);
  });

  it('keeps the session that the caller names', () => {
    const metadata = { ...noMetadata, session_id: 'mine' };
    const headers = { [claudeCode]: 's-1' };
    expect(withAgentSession(metadata, 'messages', headers)).toBe(metadata);
  });

  it('prefers the header of the newer version', () => {
    expect(sessionOf({ session_id: 'old', 'session-id': 'new' }, 'responses')).toBe('new');
  });

  it('accepts 256 bytes', () => {
    expect(sessionOf({ [claudeCode]: 'é'.repeat(128) })).toBe('é'.repeat(128));
  });

  it.each(['', ' ', 'é'.repeat(129), 'a'.repeat(10_000), 'a\nb', 'a\u001bb', 'a\u2028b', 'a\ud800b', 'a\0b'])(
    'ignores %j without an error',
    (value) => {
      expect(sessionOf({ [claudeCode]: value })).toBe(null);
      expect(sessionOf({ [claudeCode]: value, session_id: 'other' })).toBe('other');
    },
  );

  it('reads no other header', () => {
    expect(sessionOf({ 'thread-id': 't', 'x-session-id': 'x', 'x-claude-code-agent-id': 'a' })).toBe(null);
  });
});
