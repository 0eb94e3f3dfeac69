import { describe, expect, it } from 'vitest';
import { readContent } from '#lambdas/inference/chat/request/content-parts.ts';
import { mediaTypeOf } from '#lambdas/inference/providers/translation/media-types.ts';

const base64 = (bytes: string) => Buffer.from(`${bytes}${'\0'.repeat(20)}`, 'latin1').toString('base64');
const isoMedia = (brand: string) => `\0\0\0\x18ftyp${brand}`;
const png = base64('\x89PNG\r\n\x1a\n');
const pdf = base64('%PDF-1.7\n');

describe('mediaTypeOf', () => {
  it.each([
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x10\x00\x00\nWEBP', 'image/webp'],
    [isoMedia('heic'), 'image/heic'],
    [isoMedia('avif'), 'image/avif'],
    ['%PDF-1.7', 'application/pdf'],
    ['RIFF\x10\x00\x00\x00WAVE', 'audio/wav'],
    ['fLaC', 'audio/flac'],
    ['OggS', 'audio/ogg'],
    ['ID3\x04', 'audio/mp3'],
    ['\xff\xfb\x90', 'audio/mp3'],
    ['\xff\xf1\x50', 'audio/aac'],
  ])('corrects a label that contradicts the bytes %j to %s', (bytes, type) => {
    expect(mediaTypeOf('image/bmp', base64(bytes))).toBe(type);
    expect(mediaTypeOf(type, base64(bytes))).toBe(type);
  });

  it.each([
    ['audio/mpeg', 'ID3\x04'],
    ['audio/opus', 'OggS'],
    ['image/heif', isoMedia('heix')],
  ])('keeps the label %s, which fits the bytes too', (label, bytes) => {
    expect(mediaTypeOf(label, base64(bytes))).toBe(label);
  });

  it.each([
    ['image/jpg', 'image/jpeg'],
    ['image/pjpeg', 'image/jpeg'],
    ['image/x-png', 'image/png'],
    ['audio/x-wav', 'audio/wav'],
    ['application/x-pdf', 'application/pdf'],
    ['image/svg+xml', 'image/svg+xml'],
  ])('names data without a known signature by its label: %s as %s', (label, type) => {
    expect(mediaTypeOf(label, base64('unknown'))).toBe(type);
    expect(mediaTypeOf(label, '')).toBe(type);
  });
});

describe('The medium of a content part', () => {
  const dataUrl = (type: string, data: string) => `data:${type};base64,${data}`;
  it.each([
    [
      'PDF in image_url',
      { type: 'image_url', image_url: { url: dataUrl('application/pdf', pdf) } },
      'document',
    ],
    [
      'PDF labelled as PNG in image_url',
      { type: 'image_url', image_url: { url: dataUrl('image/png', pdf) } },
      'document',
    ],
    [
      'PNG labelled as PDF in a file',
      { type: 'file', file: { file_data: dataUrl('application/pdf', png) } },
      'image',
    ],
    [
      'FLAC labelled as WAV in input_audio',
      { type: 'input_audio', input_audio: { format: 'wav', data: base64('fLaC') } },
      'audio',
    ],
    [
      'PDF without a type in a file',
      { type: 'file', file: { file_data: dataUrl('application/octet-stream', pdf) } },
      'document',
    ],
  ])('is that of the bytes: %s', (_, part, medium) => {
    expect(readContent([part], 'content', null)).toMatchObject([{ medium }]);
  });
});
