import { describe, expect, it } from 'vitest';
import { parseSettings } from '#lib/settings/settings.ts';

describe('allowedOrigins', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com:8443',
    'http://localhost:5173',
    'http://127.0.0.1',
    'http://[::1]:3000',
  ])('accepts %s', (origin) => {
    expect(parseSettings({ allowedOrigins: [origin] }).allowedOrigins).toEqual([origin]);
  });

  it.each([
    '*',
    'https://*.example.com',
    'app.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com:443',
    'https://APP.example.com',
    'https://me@app.example.com',
    'null',
    '',
  ])('rejects %j, which no browser sends', (origin) => {
    expect(() => parseSettings({ allowedOrigins: [origin] })).toThrow(
      /^allowedOrigins\[0\] must be an origin in lower case/,
    );
  });

  it('rejects plain http other than loopback', () => {
    expect(() => parseSettings({ allowedOrigins: ['http://app.example.com'] })).toThrow(
      'allowedOrigins[0] must use https, except for loopback addresses',
    );
  });

  it('bounds the length of the list', () => {
    const allowedOrigins = Array.from({ length: 20 }, (_, number) => `https://app${number}.example.com`);
    expect(() => parseSettings({ allowedOrigins })).toThrow(
      'allowedOrigins must not exceed 400 bytes as JSON',
    );
  });
});
