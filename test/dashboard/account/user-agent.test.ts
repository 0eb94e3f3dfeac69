import { describe, expect, it } from 'vitest';
import { describeUserAgent } from '#dashboard/account/user-agent.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('describeUserAgent', () => {
  it.each([
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/153.0.0.0 Safari/537.36`,
      'Chrome 153 on macOS',
    ],
    [
      `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/153.0.0.0 Safari/537.36`,
      'Chrome 153 on Linux',
    ],
    [
      `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/150.0.0.0 Safari/537.36`,
      'Chrome 150 on ChromeOS',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/151.0.0.0 Safari/537.36 Edg/151.0.0.0`,
      'Edge 151 on Windows',
    ],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/150.0.0.0 Safari/537.36 OPR/130.0.0.0`,
      'Opera 130 on Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0',
      'Firefox 150 on Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
      'Safari 19 on macOS',
    ],
    ['curl/8.10.1', 'Unknown browser'],
    [null, 'Unknown browser'],
  ])('names the browser and system of %s', (userAgent, name) => {
    expect(describeUserAgent(userAgent)).toEqual({ name, isPhone: false });
  });

  it.each([
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
      'Safari 19 on iPhone',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/153.0.0.0 Mobile/15E148 Safari/604.1',
      'Chrome 153 on iPhone',
    ],
    [
      `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/28.0 Chrome/150.0.0.0 Mobile Safari/537.36`,
      'Samsung Internet 28 on Android',
    ],
  ])('recognizes the phone in %s', (userAgent, name) => {
    expect(describeUserAgent(userAgent)).toEqual({ name, isPhone: true });
  });
});
