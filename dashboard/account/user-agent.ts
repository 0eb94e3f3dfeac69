/** A browser and its system, as far as its user agent tells. */
interface Device {
  /** Such as "Chrome 153 on macOS". */
  name: string;
  isPhone: boolean;
}

/** The first that matches counts, since most user agents also name the browsers that they descend from. */
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\b(?:OPR|OPiOS)\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)\S* .*\bSafari\//],
] as const;

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
] as const;

export function describeUserAgent(userAgent: string | null): Device {
  const text = userAgent ?? '';
  const system = systems.find(([, pattern]) => pattern.test(text))?.[0];
  const browser = browsers
    .map(([name, pattern]) => ({ name, version: pattern.exec(text)?.[1] }))
    .find(({ version }) => version !== undefined);
  const browserName = browser && `${browser.name} ${browser.version}`;
  return {
    name:
      browserName && system ? `${browserName} on ${system}` : (browserName ?? system ?? 'Unknown browser'),
    isPhone: /\biPhone\b|\bAndroid\b.*\bMobile\b/.test(text),
  };
}
