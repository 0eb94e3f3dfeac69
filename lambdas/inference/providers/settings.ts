/** What an operator may say of a provider: the CDK context `providers`, handed to the functions as JSON. */

import { isJsonObject, type JsonObject } from '#lambdas/platform/json/json.ts';
import type { TokenPrices } from '#lambdas/pricing/price.ts';
import { reachOfHost } from './endpoint-address.ts';

export interface ProviderSettings {
  /** Where the provider answers, e.g. `https://llm.example.com/v1`; a trailing slash does not matter. */
  baseUrl?: string;
  /** The address is in a network of the operator's own, where plain `http` will do. */
  private?: boolean;
  /** Of a provider that has regions; the function's own where nothing is said. */
  region?: string;
  /** US dollars per million tokens; used instead of the built-in price table for every model of this provider. */
  prices?: TokenPrices;
  /** What `GET /ai/models` lists, by the provider's names; the models of the built-in price table where left out. */
  models?: readonly string[];
}

/** By provider name: lower-case letters, digits and hyphens. */
export type ProviderSettingsByName = Readonly<Record<string, ProviderSettings>>;

const namePattern = /^[a-z][a-z0-9-]{0,31}$/;

export function isProviderName(text: string): boolean {
  return namePattern.test(text);
}

/** Checks what came from outside. Throws an `Error` whose message names the setting and says what it must be. */
export function parseProviderSettings(value: unknown): ProviderSettingsByName {
  const providers = asRecord(value, 'providers');
  for (const [name, settings] of Object.entries(providers)) {
    if (!isProviderName(name)) {
      throw new Error(
        `providers: "${name}" is not a provider name: use lower-case letters, digits and hyphens`,
      );
    }
    checkSettings(settings, `providers.${name}`);
  }
  return providers as ProviderSettingsByName;
}

function checkSettings(value: unknown, path: string): void {
  const settings = asRecord(value, path);
  for (const [field, fieldValue] of Object.entries(settings)) {
    if (field === 'baseUrl') checkBaseUrl(settings, path);
    else if (field === 'private') checkPrivate(settings, path);
    else if (field === 'region') checkRegion(fieldValue, `${path}.region`);
    else if (field === 'prices') checkPrices(fieldValue, `${path}.prices`);
    else if (field === 'models') checkModels(fieldValue, `${path}.models`);
    else throw new Error(`${path}.${field} is not a setting: use baseUrl, private, region, prices or models`);
  }
}

function checkBaseUrl({ baseUrl, private: isPrivate }: JsonObject, path: string): void {
  const url = urlOf(baseUrl);
  // A mark alone has no query behind it, and would still take in the path that is to follow.
  if (url === null || !['http:', 'https:'].includes(url.protocol) || /[?#]/.test(url.href)) {
    throw new Error(
      `${path}.baseUrl must be an http or https URL without a query, such as https://llm.example.com/v1`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(`${path}.baseUrl must not hold a user name or a password: a credential is set by itself`);
  }
  const reach = reachOfHost(url.hostname);
  if (reach === 'link-local') {
    throw new Error(
      `${path}.baseUrl must not be a link-local address: there the cloud keeps its credentials`,
    );
  }
  if (url.protocol === 'http:' && reach !== 'loopback' && isPrivate !== true) {
    throw new Error(
      `${path}.baseUrl must be https, unless it is of this machine, or of a private network and "private": true says so`,
    );
  }
}

/** Nobody can call an address private that all the world can reach. */
function checkPrivate({ baseUrl, private: isPrivate }: JsonObject, path: string): void {
  if (typeof isPrivate !== 'boolean') throw new Error(`${path}.private must be true or false`);
  const url = urlOf(baseUrl);
  if (isPrivate && (url === null || reachOfHost(url.hostname) === 'public')) {
    throw new Error(
      `${path}.private needs a baseUrl with a name or a private address, such as http://10.0.0.5:8000/v1`,
    );
  }
}

function urlOf(value: unknown): URL | null {
  return typeof value === 'string' ? URL.parse(value) : null;
}

function checkRegion(value: unknown, path: string): void {
  if (typeof value !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d+$/.test(value)) {
    throw new Error(`${path} must be an AWS region such as eu-central-1`);
  }
}

function checkPrices(value: unknown, path: string): void {
  const prices = asRecord(value, path);
  for (const [field, price] of Object.entries(prices)) {
    if (!['input', 'output', 'cachedInput', 'cacheWriteInput'].includes(field)) {
      throw new Error(`${path}.${field} is not a price: use input, output, cachedInput or cacheWriteInput`);
    }
    if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) {
      throw new Error(`${path}.${field} must be US dollars per million tokens, a number not below 0`);
    }
  }
  if (prices.input === undefined || prices.output === undefined) {
    throw new Error(`${path} needs both input and output, in US dollars per million tokens`);
  }
}

function checkModels(value: unknown, path: string): void {
  const isName = (name: unknown) => typeof name === 'string' && /^[!-~]{1,200}$/.test(name);
  if (!Array.isArray(value) || !value.every(isName)) {
    throw new Error(`${path} must be a list of names of models, such as ["llama-3.3-70b"]`);
  }
}

function asRecord(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${path} must be an object`);
  return value;
}
