create extension citext;
create table uuids (id uuid primary key, name text);
create table padded (id char(4) primary key, name text);
create table caseless (id citext primary key, name text);
create table plain (id text primary key, name text);
create table "Numbered rows" (
  "number of the row" serial primary key, name text, "ofId" integer references "Numbered rows"
);
