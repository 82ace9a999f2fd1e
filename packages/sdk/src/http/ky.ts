// The library that sends requests, in a page: part of what the page loads at once, because it will send one.
import ky, { HTTPError } from 'ky';

export const loadKy = () => ({ ky, HTTPError });
