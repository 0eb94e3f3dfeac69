import { describe, expect, it } from 'vitest';
import { checkCode, normalizeCode } from '#dashboard/account/verification-code.ts';

describe('Verification codes', () => {
  it.each(['123456', ' 123 456 '])('accept "%s" and send it without spaces', (value) => {
    expect(checkCode(value)).toBeNull();
    expect(normalizeCode(value)).toBe('123456');
  });

  it.each(['', '12345', '1234567', '12345a'])('refuse "%s"', (value) => {
    expect(checkCode(value)).toBe('Enter the six digits of the code');
  });
});
