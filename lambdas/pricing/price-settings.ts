/** The part of a provider's settings that contains prices. */
export interface PriceSettings {
  /** Replace the token prices of the table for every model of this provider. */
  prices?: TokenPrices;
  /** Multiplies the token prices of the table, for example for a regional endpoint. */
  priceFactor?: number;
}

/** US dollars per million tokens. Cached input and cache writes without their own price cost as much as `input`. */
export interface TokenPrices {
  input: number;
  output: number;
  cachedInput?: number;
  cacheWriteInput?: number;
}

/** By provider name. */
export type PriceSettingsByProvider = Readonly<Record<string, PriceSettings>>;
