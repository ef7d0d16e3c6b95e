package loaders
