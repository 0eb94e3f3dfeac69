import { describe, expect, it } from 'vitest';
import { readMetadata } from '#lambdas/request-log/metadata.ts';

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
