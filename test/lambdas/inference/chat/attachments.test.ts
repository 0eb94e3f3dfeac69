import { describe, expect, it } from 'vitest';
import { chatFormat } from '#lambdas/inference/chat/attachments.ts';
import { looseJson, looseObject } from '#lambdas/platform/json/loose-json.ts';

const attachmentsIn = (body: string) =>
  [...chatFormat.listAttachments(looseObject(looseJson(body)))].map(({ medium, data }) => [medium, data]);
/** `members` is the text of a part's members. */
const inPart = (members: string) => attachmentsIn(`{"messages":[{"content":[{${members}}]}]}`);

const pdf = 'data:application/pdf;base64,AA==';
const textFile = 'data:text/plain;base64,AA==';

describe('the attachments of a chat request', () => {
  it('has the data of attachments that all servers read', () => {
    const url = 'https://x.test';
    expect(inPart(`"type":"image_url","image_url":{"url":"${url}"}`)).toEqual([['image', url]]);
    expect(inPart(`"type":"image_url","image_url":"${url}"`)).toEqual([['image', url]]);
    expect(inPart(`"type":"video_url","video_url":{"url":"${url}"}`)).toEqual([['video', url]]);
    expect(inPart('"type":"input_audio","input_audio":{"data":"AAAA"}')).toEqual([['audio', 'AAAA']]);
    expect(inPart(`"type":"file","file":{"file_data":"${pdf}"}`)).toEqual([['document', pdf]]);
    expect(inPart(`"type":"text","image_url":{"url":"${url}"}`)).toEqual([]);
  });

  it.each([
    ['a duplicate list', '{"messages":[],"messages":[{"content":[PART]}]}'],
    ['a list in another case', '{"messages":[],"Messages":[{"content":[PART]}]}'],
    ['duplicate content', '{"messages":[{"content":[PART],"content":"Hi"}]}'],
    ['images in another case', '{"messages":[{"IMAGES":[PART]}]}'],
  ])('counts data as text that not all servers read as an attachment: %s', (_case, body) => {
    const part = '{"type":"image_url","image_url":{"url":"https://x.test"}}';
    expect(attachmentsIn(body.replace('PART', part))).toEqual([['image', '']]);
  });

  it.each([
    ['type twice', '"type":"image_url","type":"image_url","image_url":{"url":"https://x.test"}'],
    ['type in upper case', '"type":"IMAGE_URL","image_url":{"url":"https://x.test"}'],
    ['an image in another case', '"type":"image_url","Image_URL":{"url":"https://x.test"}'],
    [
      'an image twice',
      '"type":"image_url","image_url":"https://x.test","image_url":{"url":"https://x.test"}',
    ],
    ['a URL twice', '"type":"image_url","image_url":{"url":"https://x.test","Url":"https://x.test"}'],
    ['no type, which vLLM infers', '"image_url":{"url":"https://x.test"}'],
    ['a type that is not text', '"type":null,"image_url":{"url":"https://x.test"}'],
  ])('counts a part once, and its data as text: %s', (_case, members) => {
    expect(inPart(members)).toEqual([['image', '']]);
  });

  it('counts a part of each type that it may have', () => {
    expect(inPart('"type":"image_url","Type":"input_audio","type":"text"')).toEqual([
      ['image', ''],
      ['audio', ''],
    ]);
  });

  it('counts a file in each form that it may have', () => {
    const inFile = (members: string) => inPart(`"type":"file","file":{${members}}`);
    expect(inFile(`"file_data":"${textFile}"`)).toEqual([]);
    expect(inFile('"file_id":"file-1"')).toEqual([['document', '']]);
    const image = 'data:image/png,A';
    expect(inFile(`"file_data":"${textFile}","file_data":"${image}","file_data":"${pdf}"`)).toEqual([
      ['image', ''],
      ['document', ''],
    ]);
    expect(inFile(`"file_data":"${textFile}","file_data":"${image}"`)).toEqual([['image', '']]);
    // Most servers find no data.
    expect(inFile(`"File_Data":"${textFile}"`)).toEqual([['document', '']]);
  });

  it('counts the audio of a message once', () => {
    expect(attachmentsIn('{"messages":[{"audio":{"id":"a"},"AUDIO":{"id":"b"}},{"audio":"a"}]}')).toEqual([
      ['audio', ''],
    ]);
  });
});
