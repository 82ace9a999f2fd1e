// A witness with ML-DSA-44. Node 20 cannot sign with it, so the signature comes from filippo.io/mldsa v1.0.0 in Go: the
// seed is draw('log ml-dsa witness', 32), and the signature is deterministic.
import { concat } from '../reference/bytes.mjs';
import { cosignedMessage, lineOf, treeHead, vkey } from '../reference/log.mjs';

const name = 'witness.example/pq';
export const time = 1_679_315_147;
/** The checkpoint of the example in tlog-cosignature. */
export const head = treeHead(
  'example.com/behind-the-sofa',
  20_852_163,
  Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64'),
);

const publicKey = [
  'Qt4/azZbOf1WJ4zxsP1beU4PWYEQRCFBPByj3DMzMrAIbFTl8D/maVdr0pluZ2Se5kLKMzqcsYO1OuTHUxULBwSkpqVxGxpjVeKn',
  '8pJb5vP1ez+6VgmbwF6sqx4DuL6cEsHN6PwU2L3vfX2wiMvyP8c4DvUAZSP8jCR1FZ8Ora5dtAfK7LNbNtNPt+H2IxLgWTk7q7nq',
  '8Jx8TxaaAnwNGogSYnLvN6XG8XpWGLg71VUd1xdCj0vpOlWWLDY2nfAxOt27qgo9u50VJfCn8I+F95dhUP+8WSHgoUO0oCu3SM0u',
  'DwX4LXGZmVp24MQkX6z5ChhQB93IpkbGrQiJB651+rFAibR9zVn4gV7QEKxemcR/EaWKDRWbEsWw9+XJX2vTFKyTdJ7m2a5trsh0',
  'OQdw3HM0+dngyau2XM14U1u7XBFg0Z5mMl1e4l/SBD+Zl0tIUJ8y9BO4tO7rHWttRM44bPGmagX8PSDIg30pd+sewTf2tmOI9emn',
  'kY/1Yl1+KX5R8Rf+rNmpSNp/9qAWFlPlzEWLBt9zQcTk4HBVZ9a0hAZKowyQr5rv11rkCDChFyF6lwyyhlNQlmvKRyDLQdhJ4szt',
  'lq6S8EfOba9qZZRD9wnahcj47DAIq5mDIi66SbWZ/mV6PLXGQ7xx6OlAl0x43h6FtWzauHTTDLJd1S6vosHOrszJx6Di/C8U+yfx',
  '1q6LSLg7uKxxpMPzb0KlHNHQjkSkAf5O2ud6ATSZTqig4VjBk9+JUkFmmnq705Y4KWdvll0XQLhx9W4niJjoTqXzMhz82Mmlwc3D',
  'McpSs5jISC4IL0aMj3KJTD/s+piWyQByO+It5MtnPcGMpJ9jwhOZF66qxQ4mnnUpdUhdp8pz754YgTon9R7W4RSJE/1Wz6goNcdM',
  '9KQ1ZXXsRg8XzMiZRyw8TQj9KaQ4ixMmB8NHW0+bXBDjKyfw3DkAU4RU8aTrONcfIoON0QJYHZpkdk77vjHZUQBrle4pfWAwKcGi',
  '8LLXgWPJL+Mn5SvHAt6O/VGspKU4xYV0gVDYNCO9XrOUEtZ7JiZKCDeSIl2tRX9WjhcK3hC6uPoWH2XEQIvDYiNbLJYZGQGJFj7R',
  '4jCi9LdziRz0F3enxLbhQTV59DUPR6K9nqy7VsvBI074z7VVssvxMH4N3QAuuoEItey0R92Ydxwvs3iy8Iqnrz37F6WPL9ArV6dh',
  'dVV3zO/IC7Ccnez0Qtga53zhOQoOCnx3wIgVCu/96XBKBF97D0gZAI4vtjWDiX4EkYll/HxDk2INHbJsqjJckmSxogxUfIrwsghk',
  'tA5zQ3VqSosto78UU9H9GSxWVGXOqQYZ32kDBPEtnizab7V+gjpAHdYO8MU9buGZ+oDDEHH0wd5zVnSgY4ANctF2gZqrLuqLYNxs',
  'T+x1MsptTk5+XYs/NI2vWZ83nyppfPTLrJJJrlThj0pClmn0hMBQEaoFpGVV8RCDT4ya0K4eQ4jEMIGjtWnDiHJmqDXEfLjlT5Do',
  'q+LzMnZHc/p+4TxuBV56fNo37RMH3kkB/h1ZUDv28M01Tt0pok5gGCr7UM7zla432HBLlgiopntZP9jL5l81gQYDuzQBOmPeAKAo',
  'j8cLoWqNyAJpuncQWR0kAmOSpTRIyJajjzCb19RP/tXQ+6xhETI7Q4VzubKVhaNyFqUpa58XXH9HizmG4RdQoZ8IiSi1ulbNaGKO',
  'YzV9u7WY1wrzFHje1YLWZA6v7pfdexerixqRw2NtDIHOsROV4Q==',
].join('');

const signature = [
  'C2ObOKfi6Qz/+JAWkf90waqUUJLhUp+3W5vsPLxNXncxOmCxjJn1wKGXdyFbiW4iHSsa6Bbr+RjJCeWlei0un/V/chxRvsyDVdAK',
  'ITQQBqmW6A+FRBQUcvkKvQumUTFbxGNfm+wlEs9o6tmAwMk5uoOOoKaKNUXlCaA9KBOMZd22GoONMa8jQAR+vb4b5IXou1zfvtt4',
  'fwq+gJHn8Xt+SY4Y/hCx3DcXMRB2yiZL0RcFiMnZoj/cxfJ0m5xZdh/lv36+pF+XoAEgOJS/s/r3eGV2fL380UPrXg+9LEpK+bza',
  'GRn6zHCdCac9Rm8JTyjj32PMxgjjNExhLG/i2YtKiRR3i0VvqNIwBkcsRmkoNBsbUsGb00OuOr3L62OAnEMmxMkmm+LNH7m6TdkF',
  '5Ty1E5Y0uBSIUTu7mYZv6vf6xK+90H8qzVGj9BndLQggmml9FxFOaqVKdCmYeBktgMk34THh8WtMH1fxPWHL8wgA7t3SgFyDu+ah',
  'r7pDFzA6q/TBsdgGJds28pXW+5WGeGLwx1iXLQIRc1DdJUwVylMdq+epiI1H1BeX/Q60YQaK66nrhVf+gqueZGOPD34G/03YHEvG',
  'BGFYO9XyYleZToA+BOfp9NgXUp0QW7NCBdNKkaCRludDIrlyR/JnofS/BMUWDIC1GGRW+OSpmasLhzO5X5prfhtb+EFDjspqZGOU',
  '6zR6zPEnPYYMrfh+PFvXTJ0akLJ8prG9RVNaF/Ci5NBmJmpmob77NRNw54rVHBaq/Sw9x2IJtldC2HBzyO/tuz85SpdH4GcVORed',
  'TNkhq2m/akcs4gLTUAUTTHo8wGno2G+V0L9tx4KiRK6fJRvJckMLsmChoGBeJrKWPRfIHtw9FNy34NEHR/kVtRCaz+Tr5VzCRDrU',
  'GaaeFxBBdhsQXxIYsiDiEljOjQ7HdrzdKW9Swe66wKoSQybyi0ppY5jJ7nA8g7cR72A4qtdWN7aGSdsxw6iVzl4UBvFTQYGbcBRt',
  'DqEvidNn4m8CagX6LWxgnEoYMEYTCrjH3zhOKSdW8tUk2vakFT8WLdwmqwWlh579ZY9csrt2Pv+d3vwhqBtf1APE4oW03m0wB1uZ',
  'ODa7h4rEJfbKFAgZXWw7SVYRL22obtFoj/G9amCD7vualcOITkU65PXGKTOeGaYYQ1pp54yOJIlaLXGAh5V/ZJbOufUvtCEgY2h3',
  'ZvaxpEa9ZSudwv4VuLc6pat0Jw0WDisKCh0RT16+pbygzOcSg91Cgc7L7W1TuGDixHI5RqAPyQ5Uhwdpo+XZVcNYUSKT/GwuGz+4',
  'kdhubC3j6voZ/AcXZ1rwZgL7JIXrfWY8phbRq87nkSGgr4FMNBURd3FcNBwpbuD19COpyrCZqOViOCMQ9hojK6OvBxiwXasFtNsB',
  'yISMH/3H+MtRlJkoXJcOznzdgE4BNeHX/9uEClGhmnvrsD11hkpQbSuAjzbQs/tVaTNH+f5pSbz1mpVIRyIFZMBwf4+CVM5YzwWq',
  'vtD5sFiIQYDKr2+w4xIRum/j4lkvyRMehmkSDb63f/VpSrWUEBStvZKY/WPC927xvCbJhoMekxd2i+sELw/aDqhsdVE7GS7+/PwA',
  '5VtXhz2uMBEp3FjtdjUcudRYjONS+r6w7zmgBkCp+k6Pu2J8muvaVgMlNjxcxrN51uS//0UaSUIah9ModkN8CUmJhdwDOEUIn86I',
  'Nf7wi3e4Z0dndtF0rVf+ssbHI+RbHObAOHNzsr0QCCkWrsPbXYg7fzyE/i3Xw7E1J2HTVPJlL7GLgdtbQGNMuOEZYpEB+a25LiwJ',
  'fMs8MlGObORHVdS+JufvUUcpVzBzBQNW3BsyX8rKnWyD6hQ9SyeHCEGdDStrdtMm/keSPseiA/POlc/92XFgWn8HctOdj0U5d/4T',
  'W+w8TRjYL0k53OjfNqbC3p7tgwV3JWitcy88f85nhQc0ojOIAEUHnZ46gKdkNQ5mJZHasIIJfoA03u8bQAbfwlTG2r1gd92ge9qc',
  'L2Bb+EUx+y4e1pRFryHigNkOFUEIA2A7CSJgJDkd9hWbG7sfWVN3JPQOuz1hPs0OOOpo4chrsnH62ATEDUU9RaPeCS7umKhLo3UH',
  'baoWKEZxGDHACqXHjMg6dhw7oHZzqhEPnv/d/yv3ZutWTuzFvfUOPGgasoeUzuKck52DuRih4tB8Ndx9A14N//90P8WbcWNGvI7s',
  'nqqc3ptOziZ14njxpaRz8KCmSry8ytaOLHs7B3R7oAYzmlQMyRTxiNtacKum44b1q1JyFK/bG5ax+DjxL0CMe7GNmik/vgIUK9Wg',
  'Vi3WDaK2JSjynE1Dr2XTvI+X5lJ8yUg84P1UZIYh0AykMtW8SwzyDrVItnj8nL4JO6mgD63343QWHod44oe/FTwDBh0H4zY0if4y',
  'cEX65wzPYLVHG/4u4f0dcQS/k42yl6Y/8V0/Dhyw6pnSaKOxQ5oBlf5+L730xECWxfoYv5tn0GGoX33cglV+NLXu0q9p/rxGPtta',
  'lyFOqroLhZ6QUbH/PHNXhPzaMppgurihmCgPCNtHtii8gyiVC6B+BNfk5I107TqUxOsrErymFpDh5kIStYie0VvKW6r3xclyWo6t',
  'XLrNwr64VMWYP6d9MQO4bJVUPhjvn0xUSpjLaZvUN2ct+kOS/PbZCKN3zMpkIjsKIt2wp8QbEDE7R7oipqeYUMOaBvIvDs13IGkK',
  'MUFjhQJoEzGPY9Doj1OIWx5VXv5ivBsrfFYzjSthL3OyP4jFK0QJiYEVjt2iChUemzrWLNm4RFK03N63cX9s7KQ1MZoaj6Hq9AOV',
  '34v03ZlcP3l2+fTmuDWI7OksbsDFQvaSpN74WSlnPrZvinFYOI1Ne2Xq2Nyp5pEbJeWHRUpU9O1QIMFv6Awe+mzbnClUJOGE0cvm',
  'KM0QPvYVOHTHJ9bc20wzEsUjyMp/cfk+MyxGmnWxpqbKCnQXnFNuME5/0tidBXDosQUJe5trdujtlpPyR2LraWSlydLql4GLw1Bh',
  '0jnLJX34X2CKBTCq2SHBrIQK65QSppxkXgCtuSxGix6KXaloKUV5LR3uKvcwFtyv95JZuqanc9hujiMZRrhF5m8U/D7ucDB6XKAu',
  '2I0mHFTQu/SzV2QCBBwrTmBnbnJ4fIWHio+Zr7/J/w0UMVVZY2RzgIOJmqOlp77H1dvi6PcEDykwM0pZW1+DvsfY3unw9gQPFxgs',
  'V32pq7a7ysvP0tXiAAAAABQqO0w=',
].join('');

export const key = vkey(name, 6, Buffer.from(publicKey, 'base64'));
export const message = cosignedMessage(6, name, time, head);

const seconds = Buffer.alloc(8);
seconds.writeBigUInt64BE(BigInt(time));
export const line = lineOf(key, concat(seconds, Buffer.from(signature, 'base64')));
