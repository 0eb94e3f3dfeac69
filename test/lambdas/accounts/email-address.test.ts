import { describe, expect, it } from 'vitest';
import {
  asciiDomain,
  canonicalAddress,
  domainOf,
  isSameAddress,
  smtpAddress,
} from '#lambdas/accounts/email-address.ts';
import { character, fc } from '#test/support/fast-check.ts';

describe('asciiDomain', () => {
  it.each([
    ['acme.example', 'acme.example'],
    ['ACME.Example', 'acme.example'],
    ['Müller.example', 'xn--mller-kva.example'],
    ['MÜLLER.example'.normalize('NFD'), 'xn--mller-kva.example'],
    ['XN--MLLER-KVA.example', 'xn--mller-kva.example'],
    // UTS 46 without the transitional mapping: ß is a letter of its own.
    ['ß.example', 'xn--zca.example'],
    ['ss.example', 'ss.example'],
    ['İ.example', 'xn--i-9bb.example'],
    ['\u212a.example', 'k.example'],
    ['\uff41cme\uff61example', 'acme.example'],
    ['acme。example', 'acme.example'],
    ['ac\u00adme.example', 'acme.example'],
    ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ])('is %s -> %s', (domain, ascii) => {
    expect(asciiDomain(domain)).toBe(ascii);
  });

  it.each([
    '',
    'localhost',
    'acme..example',
    '.acme.example',
    'acme.example.',
    '-acme.example',
    'acme-.example',
    'a_b.example',
    'ac me.example',
    'ac\tme.example',
    'acme.example\n',
    'acme.example:80',
    'acme.example/path',
    'user@acme.example',
    'acme%2Eexample',
    'acme\u2100.example',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    'acme.42',
    'acme.e',
    '1\u05d0.example',
    'a\u200db.example',
    `${'a'.repeat(64)}.example`,
    `${'ü'.repeat(60)}.example`,
    `${'a.'.repeat(124)}example`,
  ])('is null for %j', (domain) => {
    expect(asciiDomain(domain)).toBeNull();
  });
});

describe('Addresses', () => {
  it.each([
    ['Bob@Example.COM', 'bOB@example.com'],
    ['bob@Müller.example', 'bob@xn--mller-kva.example'],
    ['bob@müller.example', 'bob@müller.example'.normalize('NFD')],
    ['bob+tag@example.com', 'BOB+TAG@example.com'],
    ['eve@example.com@acme.test', 'EVE@EXAMPLE.com@acme.TEST'],
    ['bob@example.com.', 'bob@example.com'],
    ['Grüße@example.com', 'GRüßE@example.com'],
  ])('%s and %s are the same', (one, other) => {
    expect(isSameAddress(one, other)).toBe(true);
  });

  it.each([
    ['bob@example.com', 'bob+tag@example.com'],
    ['bob@example.com', 'b.ob@example.com'],
    ['bob@example.com', 'bob@example.org'],
    ['bob@ß.example', 'bob@ss.example'],
    // Only ASCII letters have no case: these are other mailboxes.
    ['kim@example.com', '\u212aim@example.com'],
    ['ÜBER@example.com', 'über@example.com'],
    ['ida@example.com', 'İda@example.com'],
    ['bob', 'bob@example.com'],
  ])('%s and %s are not the same', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false);
  });

  it.each([
    ['grace@ACME.test', 'acme.test'],
    ['grace@Müller.example', 'xn--mller-kva.example'],
    ['eve@example.com@acme.test', 'acme.test'],
    ['eve@acme.test.', 'acme.test'],
    ['acme.test', ''],
    ['eve@', ''],
    ['', ''],
  ])('%j has the domain %j', (address, domain) => {
    expect(domainOf(address)).toBe(domain);
  });

  it.each([
    ['Bob+tag@Müller.example', 'Bob+tag@xn--mller-kva.example'],
    ['bob@example.com', 'bob@example.com'],
    ['bjørn@example.com', null],
    ['bob@localhost', null],
    ['example.com', null],
  ])('%s is %s for mail servers', (address, mailed) => {
    expect(smtpAddress(address)).toBe(mailed);
  });
});

describe('canonicalAddress', () => {
  const text = fc.string({ unit: character, maxLength: 12 });
  const localPart = fc.string({
    unit: fc.constantFrom(...'abzABZ019.+-_üÜ\u212aſİı'),
    minLength: 1,
    maxLength: 8,
  });
  const domain = fc
    .array(
      fc.string({
        unit: fc.constantFrom('a', 'b', 'z', 'ü', 'ö', 'ß', 'ñ', 'ж', '例'),
        minLength: 2,
        maxLength: 8,
      }),
      {
        minLength: 2,
        maxLength: 4,
      },
    )
    .map((labels) => labels.join('.'))
    .filter((name) => asciiDomain(name) !== null);

  it('is its own canonical form, whatever the text', () => {
    const address = fc.oneof(
      text,
      fc.tuple(text, text).map((parts) => parts.join('@')),
    );
    fc.assert(
      fc.property(address, (any) => {
        const canonical = canonicalAddress(any);
        expect(canonicalAddress(canonical)).toBe(canonical);
      }),
    );
  });

  it('does not depend on the case of ASCII letters, nor on how the domain is written', () => {
    fc.assert(
      fc.property(localPart, domain, fc.infiniteStream(fc.boolean()), (local, name, flips) => {
        const flip = (original: string) =>
          original.replaceAll(/[a-z]/gi, (letter) =>
            flips.next().value ? letter.toUpperCase() : letter.toLowerCase(),
          );
        const ascii = asciiDomain(name) ?? '';
        const spellings = [
          name,
          flip(name),
          name.normalize('NFD'),
          name.replaceAll('.', '。'),
          ascii,
          flip(ascii),
        ];
        const canonical = spellings.map((spelling) => canonicalAddress(`${flip(local)}@${spelling}`));
        expect(new Set(canonical)).toEqual(new Set([canonicalAddress(`${local}@${name}`)]));
        expect(canonical[0]?.endsWith(`@${ascii}`)).toBe(true);
      }),
    );
  });

  it('keeps tags and every character but ASCII capitals', () => {
    fc.assert(
      fc.property(localPart, localPart, domain, (one, other, name) => {
        const fold = (original: string) =>
          original.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
        expect(isSameAddress(`${one}@${name}`, `${other}@${name}`)).toBe(fold(one) === fold(other));
        expect(isSameAddress(`${one}@${name}`, `${one}+tag@${name}`)).toBe(false);
      }),
    );
  });
});
