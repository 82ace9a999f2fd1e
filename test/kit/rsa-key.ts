import { createPrivateKey, createPublicKey } from 'node:crypto';

// A fixed RSA key of 3,072 bits for tests. Generating one takes up to a second.
const pkcs8 = [
  'MIIG/AIBADANBgkqhkiG9w0BAQEFAASCBuYwggbiAgEAAoIBgQCyCitmrEb+gJsuFVjGAyeS972Buw0pWWXjyi2Cktvd2VVH7HIH',
  'n7a41mrQk7B5Dn2TOdYCrMo6ZZrugD/m89pUvgUEZrxc9hVAK2DiPj/iOOeeaXMCgoLrysF9daUxJIDd9eNpS88TSO0OW5oyT3Sj',
  '7LJ7yDlpIQXpYG6Zf0EM8A3TaNODLrOkE8QyrXPdal9iycl2tporrUNCKZaJBZVKPeZIXQhAcsSBNV7k6AkGLnSlJc8EuP8Xyiei',
  '2e3SRF9loWtyJv5zI+2LyJN8L6TVn4vruFOgx73dyhQEgUzadTpHkBbvM30XqKp7LimSlbJ3IYMQwRD3SYJuxsG5S8nvg6WWre/y',
  'DUhBOyiuFSJICnNFjbkaNeBkhTTYVrO4u3SvWNzywy0fM2uELY3m/aFAsww8aom7LbpjvZffd+2vdZpb6p9aNKbV9T47Wh3Jqse9',
  'Ee1euiPnNhkqxOTCBA5ZTKYWTzsNbP/2Nipbkcu2OcWzocvzz3wMIoO6FTYzH+kCAwEAAQKCAYANqc0h4IfEQU9nbnj1HUnctAmF',
  'mrrMWRGCNUJf2nBoKqUqU2F+50lpDv98iVEKQUvu0An2A5ezepe0xP/idAVl6n1NFKtRAQupdIrHYhqZ/F7+H76VSznL6bAGtlAa',
  'oOAI6LVun8RBCSA0MWB4ivN7Hw+lgzywrjmbauyh+AugeA2/kzRkRWHA7klo0DnrnJ28YZsF8saLIo1eVv23/0cxPuXc2NLoy0X8',
  'WoGxVINYx5jpEak9BguBomB/VXU0ZU3BvIAUzVoSGsAuhrPr7fEQgVdlK+qWo5ti0Sbc7nrsu93ZTAshE13Li3yulqa/QIdjV/a5',
  'j+z/ZX7YOFpGh0HyL7ZmTnrR1R42tvU/SnxiLTbLIk2xmplcuND5ilHmk6MHIq6bP+8M3GSsMQ2JASuaQvOC2wWGbrTxtGq2sNis',
  'Sj+EuEhlxX85vvUe5zPbs0YcxdlINDRN0OEc767OMyQK5Edq25Gw4LlU9LYOmfOmtB/cEWuPjXPQCV04MjHlNMECgcEA+ef8rL1O',
  'z8Zz4n6gWLJ59mvzWQ5LTpq4M1xRL1wpuK7DwWEGUfn5ncCaZnzWUnOwbkA8FHfCJIf7QfAI/qYiN76ESKMuCWYA5G7DEANRvMMG',
  '5xfebFRoATOT9ZxKjR1a25A8Z4Gr8eEuh/oWU5U4CPTUfXRHOX4e3zeeZaUEAizUYYQOE8uF15/LzUg/HxrJIcrou/6by1WJ3Mhu',
  'vwnKMeaa8yzY1pqzAckQaOfpGzc9VzIhEzcRZwhEI+MCQfBxAoHBALZhkExz/+9EAsVdrRGHPvRa68sSFWzC0ZLivq4WaLnzU6zL',
  '94o9QuOV2Sf9/Q6K4S94MP7ZYF4Ek3td79WFO7ysfYI4aHZPeXTQeIoa5C7dmriMQkPKdx/kpGewSOe9rcdhAixM6pNGtS4y0b3f',
  'iUm7vDjj96kyoSwKkoaYvcteuIrQLaldcpLF/jUlwh3Rb4Zvm5n6foNl2CBDYJ1B3qiDx1T3PmIqumfJw3qXPjeQNW+I6D0AyxMw',
  'h4fFONVi+QKBwBHhUEnHrajeCRKOfsh51JIV/S5FAIxaM42xMDnUPUPydR0T5RDecsafrixhCDCUCG6K+AF65BAbDpYUJ4CYwF/+',
  'qJZN3pBblPrDFf/CTQnVZlwIcCiODXbwisiK6yaXkBWfh0Lcm0HOG7cs5IYMahrx8XYcaLArXugXoaSiHtxM+tETUrKF4EiiLUG9',
  'xo5iKzvYubghqmHs99UtHgdbGvVhC3sUnVsVbHNXQG5REXOaCzB+7LDkQsF9bOqoZlPzcQKBwDjD2RPSrwAbnPktFOb1v2RywB0u',
  'fbiiUnRzWoH4u5PU5mBMA7nlI2KOi05lQVQ7aadKs4U+xz28EuM8857znwo0bcQQJoNcbSMsl7f0cr0bgEKcdSuAYt9sXLdhKO/o',
  'G6SIzxJWxlQcl9vPOXTtlF98rTLP0Y+6EGwSxlRaSgh4bNvXu76RNU31jg+gtvBs9VdUeYvNaX8gPcqc7f9ENzcf/PS3F5WaUvZm',
  '2A7Z8CV/HwKeDBqgmpRYcHaTrgLMkQKBwDdeCgtXFSn66uVwCOx1sw0/ImJ+mtgSQ9v8CwTQFQRKs+JzqjwaZZMC+o52h/aOD5C+',
  'BudCZ1p6CBIEn9BFNKqknTxbxsU7NUkcV3iMFKNzklI+wgRmq/cUcjjLNUD+3Rkf447plqW6OdeQHSgKRD3A5b0ilJz/PmB8gN9S',
  '0KYkfKgjHBjlDj/M5yw7KavFfPUM7cDXr79LIFrw/L041JAt3Mj9LUSnPN67DxsZy86MuX5QeZ5itFvxvtlFfCmHzg==',
].join('');

export const privateKey = createPrivateKey({
  key: Buffer.from(pkcs8, 'base64'),
  format: 'der',
  type: 'pkcs8',
});
export const publicKey = createPublicKey(privateKey);
