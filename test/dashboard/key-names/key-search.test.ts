import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { keyNameQuery, keySearchQuery } from '#dashboard/api/keys.ts';
import { KeyChoice } from '#dashboard/key-names/key-list.tsx';
import { KeySelect } from '#dashboard/key-names/key-select.tsx';
import { useKeyName, useKeyNames } from '#dashboard/key-names/use-key-names.ts';
import { keyOption, useKeySearch } from '#dashboard/key-names/use-key-search.ts';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';
import { all, names, only, textOf, texts } from '../rendering/markup.ts';
import { renderOnPage } from '../rendering/page.ts';

const ignore = () => {};
const key = (number: number, state: ApiKeyName['state'] = 'active'): ApiKeyName => ({
  id: `key_${number}`,
  name: `name ${number}`,
  last_four: `000${number}`,
  state,
});

describe('An option of a choice of keys', () => {
  it('has the end of an active key, or that it has ended', () => {
    expect([key(1), key(2, 'revoked'), key(3, 'expired')].map(keyOption)).toEqual([
      { value: 'key_1', label: 'name 1', detail: '…0001' },
      { value: 'key_2', label: 'name 2', detail: 'Revoked' },
      { value: 'key_3', label: 'name 3', detail: 'Expired' },
    ]);
  });
});

describe('The choice of a key', () => {
  const choice = (keys?: ApiKeyName[], value = '') =>
    renderOnPage(createElement(KeyChoice, { value, onChoose: ignore }), {
      loaded: keys ? [[keySearchQuery('org_1', '', 21).queryKey, { object: 'list', data: keys }]] : [],
    });
  const options = async (keys: ApiKeyName[], value = '') => texts(await choice(keys, value), '[role=option]');

  it('is a field with the keys below it, in the order of the API, of which the present one is marked', async () => {
    const shown = await choice([key(2), key(1, 'revoked')], 'key_1');
    expect(names(shown, 'input[role=combobox]')).toEqual(['Search keys']);
    expect(texts(shown, '[role=option]')).toEqual(['name 2…0002', 'name 1Revoked']);
    expect(all(shown, '[role=option]').map((option) => all(option, 'svg').length)).toEqual([0, 1]);
    expect(textOf(only(shown, '[role=status]'))).toBe('');
  });

  it('has at most 20 keys, and says that there are more', async () => {
    const keys = Array.from({ length: 21 }, (_, index) => key(index));
    expect(await options(keys)).toHaveLength(20);
    expect(texts(await choice(keys), '[role=status]')).toEqual(['There are more: type to narrow.']);
    expect(texts(await choice(keys.slice(1)), '[role=status]')).toEqual(['']);
  });

  it('says that it is loading, or that no key matches', async () => {
    expect(texts(await choice(), '[aria-busy=true]')).toEqual(['Loading…']);
    expect(texts(await choice([]), '[role=status]')).toEqual(['No key matches.']);
  });
});

describe('The choice of a key in a form', () => {
  it('has the label of its value', async () => {
    const first = { value: '', label: 'All of Acme' };
    const select = (value = first) =>
      renderOnPage(
        createElement(KeySelect, {
          label: 'Applies to',
          name: 'api_key_id',
          first,
          value,
          onValueChange: ignore,
        }),
      );

    expect(texts(await select(), 'button')).toEqual(['All of Acme']);
    expect(texts(await select(keyOption(key(1))), 'button')).toEqual(['name 1…0001']);
  });
});

describe('A search for keys', () => {
  const Found = ({ state }: { state: 'active' | 'any' }) => {
    const { keys, hasMore } = useKeySearch(state);
    return `${keys.map(({ id }) => id)} ${hasMore}`;
  };
  const found = async (state: 'active' | 'any', data: ApiKeyName[]) =>
    textOf(
      await renderOnPage(createElement(Found, { state }), {
        loaded: [[keySearchQuery('org_1', '', 21).queryKey, { object: 'list', data }]],
      }),
    );

  it('finds active keys alone, where no others can be chosen', async () => {
    expect(await found('any', [key(2), key(1, 'expired')])).toBe('key_2,key_1 false');
    expect(await found('active', [key(2), key(1, 'expired')])).toBe('key_2 false');
  });

  it('has more if there is one more that can be chosen', async () => {
    const keys = Array.from({ length: 21 }, (_, index) => key(index, index < 20 ? 'active' : 'revoked'));
    expect(await found('any', keys)).toMatch(/key_19 true$/);
    expect(await found('active', keys)).toMatch(/key_19 false$/);
  });
});

describe('The names of keys', () => {
  const Names = ({ ids }: { ids: string[] }) => JSON.stringify([...useKeyNames(ids)]);
  const Name = ({ id }: { id: string | null }) => JSON.stringify(useKeyName(id));
  const loaded = [
    [keyNameQuery('org_1', 'key_1').queryKey, key(1)],
    [keyNameQuery('org_1', 'key_2').queryKey, null],
  ] as const;

  it('are those that are loaded, of keys that exist, each once', async () => {
    const page = await renderOnPage(createElement(Names, { ids: ['key_1', 'key_2', 'key_3', 'key_1'] }), {
      loaded,
    });
    expect(textOf(page)).toBe('[["key_1","name 1"]]');
  });

  it('are null alone if the key is unknown, or there is no id', async () => {
    const nameOf = async (id: string | null) =>
      JSON.parse(textOf(await renderOnPage(createElement(Name, { id }), { loaded })));
    expect(await Promise.all(['key_1', 'key_2', 'key_3', null].map(nameOf))).toEqual([
      key(1),
      null,
      null,
      null,
    ]);
  });
});
