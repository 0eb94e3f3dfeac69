import { describe, expect, it } from 'vitest';
import { readMetadata } from '#lambdas/request-log/metadata.ts';

describe('metadata headers', () => {
  it('are read by their three exact names', () => {
    const headers = {
      'gateway-prompt-id': 'welcome v2',
      'gateway-session-id': ' s-1 ',
      'gateway-user-id': '',
      'gateway-userid': 'misspelled',
    };
    expect(readMetadata(headers)).toEqual({ prompt_id: 'welcome v2', session_id: 's-1', user_id: null });
  });

  it('may have 256 bytes', () => {
    expect(readMetadata({ 'gateway-user-id': 'é'.repeat(128) }).user_id).toBe('é'.repeat(128));
    expect(() => readMetadata({ 'gateway-user-id': 'é'.repeat(129) })).toThrow(
      expect.objectContaining({ status: 400, param: 'gateway-user-id' }),
    );
  });

  it.each(['José', '日本', '😀'])('are read as the UTF-8 that clients write: %s', (name) => {
    const onTheWire = Buffer.from(name).toString('latin1');
    expect(readMetadata({ 'gateway-user-id': onTheWire }).user_id).toBe(name);
    expect(readMetadata({ 'gateway-user-id': name }).user_id).toBe(name);
  });

  it('stay as they are when they are no UTF-8', () => {
    expect(readMetadata({ 'gateway-user-id': 'Jos\u00e9' }).user_id).toBe('José');
  });

  it.each(['a\u001bb', 'a\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\ud800b', 'a\0b', 'a\u007fb'])(
    'may not hold what could forge a log line: %j',
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

  it('may hold the joiner that emoji are made with', () => {
    expect(readMetadata({ 'gateway-user-id': '👩\u200d👧' }).user_id).toBe('👩\u200d👧');
  });

  it.each(['__proto__', 'constructor'])('may be called %s', (value) => {
    expect(readMetadata({ 'gateway-user-id': value }).user_id).toBe(value);
  });
});
