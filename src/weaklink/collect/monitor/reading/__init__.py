"""What a loss asked for, worked out from the gradients at the outputs of networks: arrays in, arrays out."""
